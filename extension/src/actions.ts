// What the buttons of the panel do.
import type { Diagnoses } from "./diagnose";
import { editsOf, type Offered } from "./edits";
import { type Log, said, tellError } from "./log";
import { cautionOf } from "./page";
import type { Clicked, Panel } from "./panel";
import { besides, reveal, show } from "./places";
import type { Previews } from "./preview";
import type { Diagnosis, Incident } from "./report";
import type { Terminals } from "./terminal";
import { marksOf } from "./timeline";
import type { Runner } from "./verify";
import * as vscode from "./vscodeapi";

export async function copy(text: string): Promise<void> {
  await vscode.env.clipboard.writeText(text);
  vscode.window.setStatusBarMessage("$(copy) Copied", 2000);
}

/** The report without secrets, names and addresses, on the clipboard. */
export async function copyReport(
  diagnoses: Diagnoses,
  diagnosis: Diagnosis | undefined,
  uri = diagnosis?.reportUri,
): Promise<void> {
  if (uri === undefined) {
    void vscode.window.showInformationMessage("There is no diagnosis yet.");
    return;
  }
  const markdown = await diagnoses.client.redacted(uri).catch((error: unknown) => {
    throw diagnosis ? new Error("The report is no longer kept; diagnose the log again.", { cause: error }) : error;
  });
  await vscode.env.clipboard.writeText(markdown);
  void vscode.window.showInformationMessage(
    "The report is on the clipboard. Secrets, user names, hosts and addresses are masked.",
  );
}

export class Actions {
  private offered = new Map<string, Offered[]>();

  constructor(
    private readonly diagnoses: Diagnoses,
    private readonly terminals: Terminals,
    private readonly runner: Runner,
    private readonly panel: Panel,
    private readonly previews: Previews,
    private readonly log: Log,
  ) {}

  /** Do what a click asks for. */
  async act(diagnosis: Diagnosis, clicked: Clicked, post: (message: object) => void): Promise<void> {
    try {
      await this.do(diagnosis, clicked, post);
    } catch (error) {
      await tellError(this.log, "That did not work:", error);
    }
  }

  private async do(diagnosis: Diagnosis, clicked: Clicked, post: (message: object) => void): Promise<void> {
    switch (clicked.act) {
      case "mark":
        return this.openMark(diagnosis, clicked.index);
      case "ready":
        return this.offerEdits(diagnosis, post);
      case "copyReport":
        return copyReport(this.diagnoses, diagnosis);
      case "openReport":
        await vscode.commands.executeCommand("firstfault.openReport", diagnosis);
        return;
    }
    const incident = diagnosis.report.incidents[clicked.incident];
    if (incident) {
      await this.onIncident(diagnosis, incident, clicked, post);
    }
  }

  /** The line of an event of the timeline. */
  private async openMark(diagnosis: Diagnosis, index: number): Promise<void> {
    const mark = diagnosis.picture ? marksOf(diagnosis.picture)[index] : undefined;
    if (mark) {
      await reveal(diagnosis, this.terminals, mark.source, mark.line, mark.text, this.panel.column);
    }
  }

  private async onIncident(
    diagnosis: Diagnosis,
    incident: Incident,
    { act, incident: number, index }: Clicked,
    post: (message: object) => void,
  ): Promise<void> {
    const [fix, check, missing] = [incident.fix[index], incident.verify[index], incident.missing[index]];
    const go = (source: string | null | undefined, line: number | null | undefined, text: string | null) =>
      source && line ? reveal(diagnosis, this.terminals, source, line, text, this.panel.column) : undefined;
    const { initiator } = incident;
    switch (act) {
      case "first":
        return go(initiator.source, initiator.line, initiator.text);
      case "collateral":
        return go(incident.collateral[index]?.source, incident.collateral[index]?.line, null);
      case "evidence":
        return go(incident.evidence[index]?.source, incident.evidence[index]?.line, incident.evidence[index]?.text ?? null);
      case "explain":
        await vscode.commands.executeCommand("firstfault.explain", incident.signature);
        return;
      case "reference":
        await openReference(incident.references[index]?.url);
        return;
      case "copyFix":
        return fix && copy(fix.command ?? fix.text);
      case "runFix":
        return fix?.command ? this.runner.run(fix.command, cautionOf(fix)) : undefined;
      case "copyVerify":
        return check?.command ? copy(check.command) : undefined;
      case "runVerify":
        return check?.command
          ? this.runner.verify(check.command, check.expect, (judged) =>
              post({ type: "result", incident: number, index, ...judged }),
            )
          : undefined;
      case "copyMissing":
        return missing?.command ? copy(missing.command) : undefined;
      case "runMissing":
        return missing?.command ? this.runner.run(missing.command) : undefined;
      case "apply":
        return this.apply(this.offered.get(key(diagnosis, number))?.[index]);
    }
  }

  private async offerEdits(diagnosis: Diagnosis, post: (message: object) => void): Promise<void> {
    this.offered.clear();
    for (const [number, incident] of diagnosis.report.incidents.entries()) {
      try {
        const edits = await editsOf(diagnosis, incident, this.terminals);
        this.offered.set(key(diagnosis, number), edits);
        post({ type: "edits", incident: number, titles: edits.map((edit) => edit.title) });
      } catch (error) {
        this.log.debug(`no edits: ${said(error)}`);
      }
    }
  }

  /** The edits of a diagnosis' first incident. */
  edits(diagnosis: Diagnosis): Promise<Offered[]> {
    const incident = diagnosis.report.incidents[0];
    return incident ? editsOf(diagnosis, incident, this.terminals).catch(() => []) : Promise.resolve([]);
  }

  /** Show what an edit would change, make it when that is wanted, and show the place. */
  async apply(offered: Offered | undefined): Promise<void> {
    const [uri, [change] = []] = offered?.edit.entries()[0] ?? [];
    if (!offered || !uri || !change) {
      return;
    }
    if (!(await this.previews.agreed(offered.title, offered.edit, besides(uri, this.panel.column)))) {
      return;
    }
    // Without the marks by which the editor would ask once more.
    const edit = new vscode.WorkspaceEdit();
    for (const [file, edits] of offered.edit.entries()) {
      edit.set(file, edits);
    }
    if (!(await vscode.workspace.applyEdit(edit))) {
      throw new Error("The editor refused the edit; the file may have changed meanwhile.");
    }
    await show(await vscode.workspace.openTextDocument(uri), change.range.start, this.panel.column);
  }

  /** The fixes of the first incident as a list to choose from. */
  async chooseFix(diagnosis: Diagnosis): Promise<void> {
    const incident = diagnosis.report.incidents[0];
    if (!incident) {
      return;
    }
    type Pick = vscode.QuickPickItem & { act: () => Promise<void> };
    const picks: Pick[] = (await this.edits(diagnosis)).map((offered) => ({
      label: `$(lightbulb) ${offered.title}`,
      detail: "An edit in your file: shown first, and not saved",
      act: () => this.apply(offered),
    }));
    for (const step of incident.fix) {
      const caution = cautionOf(step);
      picks.push({
        label: `$(copy) ${step.text}`,
        detail: [step.command ? `Copy: ${step.command}` : "Copy", caution ? `Caution: ${caution}` : ""]
          .filter(Boolean)
          .join(" · "),
        act: () => copy(step.command ?? step.text),
      });
    }
    const chosen = await vscode.window.showQuickPick(picks, { title: incident.title, placeHolder: incident.next_action });
    await chosen?.act();
  }
}

function key(diagnosis: Diagnosis, incident: number): string {
  return `${diagnosis.id}/${incident}`;
}

async function openReference(url: string | undefined): Promise<void> {
  if (url?.startsWith("https://")) {
    await vscode.env.openExternal(vscode.Uri.parse(url));
  }
}
