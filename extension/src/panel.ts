// The panel that shows a diagnosis. The page can only name what was clicked; everything else is looked up here.
import { randomBytes } from "node:crypto";
import { type PageResources, page } from "./page";
import type { Diagnosis } from "./report";
import * as vscode from "./vscodeapi";
import { shortened, verdict } from "./words";

const TYPE = "firstfault.diagnosis";

export interface Clicked {
  act: string;
  incident: number;
  index: number;
}

/** What happens on a click; answers go back through `post`. */
export type Acting = (diagnosis: Diagnosis, clicked: Clicked, post: (message: object) => void) => Promise<void>;

export class Panel implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private shown: Diagnosis | undefined;
  acting: Acting = async () => undefined;

  constructor(private readonly root: vscode.Uri) {}

  /** The diagnosis that is on the screen now. */
  get visible(): Diagnosis | undefined {
    return this.panel?.visible ? this.shown : undefined;
  }

  get column(): vscode.ViewColumn | undefined {
    return this.panel?.viewColumn;
  }

  get current(): Diagnosis | undefined {
    return this.panel ? this.shown : undefined;
  }

  show(diagnosis: Diagnosis, takeFocus = false): void {
    this.shown = diagnosis;
    if (this.panel) {
      this.panel.reveal(undefined, !takeFocus);
    } else {
      const media = vscode.Uri.joinPath(this.root, "extension", "media");
      this.panel = vscode.window.createWebviewPanel(
        TYPE,
        "Firstfault",
        { viewColumn: vscode.ViewColumn.Beside, preserveFocus: !takeFocus },
        { enableScripts: true, localResourceRoots: [media], enableFindWidget: true },
      );
      this.panel.iconPath = vscode.Uri.joinPath(media, "icon.png");
      this.panel.onDidDispose(() => {
        this.panel = undefined;
        this.shown = undefined;
      });
      this.panel.webview.onDidReceiveMessage((message: unknown) => void this.clicked(message));
    }
    this.panel.title = `Firstfault: ${shortened(diagnosis.title, 30)}`;
    this.panel.webview.html = page(diagnosis, this.resources(this.panel.webview));
    this.post({ type: "said", text: verdict(diagnosis.report) });
  }

  private resources(webview: vscode.Webview): PageResources {
    const address = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(this.root, "extension", "media", name)).toString();
    return {
      nonce: randomBytes(18).toString("base64url"),
      cspSource: webview.cspSource,
      style: address("panel.css"),
      script: address("panel.js"),
      folders: (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath),
    };
  }

  post(message: object): void {
    void this.panel?.webview.postMessage(message);
  }

  private async clicked(message: unknown): Promise<void> {
    const { act, incident, index } = (message ?? {}) as Partial<Clicked>;
    if (this.shown && typeof act === "string" && Number.isInteger(incident) && Number.isInteger(index)) {
      await this.acting(this.shown, { act, incident: incident as number, index: index as number }, (answer) => this.post(answer));
    }
  }

  dispose(): void {
    this.panel?.dispose();
  }
}
