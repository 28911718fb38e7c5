// A tool for language models in the editor: it gives them the report. Nothing leaves this machine by it but what the user's model
// is given.
import type { Client } from "./client";
import type { Diagnoses } from "./diagnose";
import type { Answer } from "./report";
import * as vscode from "./vscodeapi";

const NAME = "firstfault_diagnose";

interface Input {
  text?: string;
  path?: string;
}

// The typings of the oldest supported editor do not have it.
interface Tools {
  registerTool?(name: string, tool: object): vscode.Disposable;
}
interface Parts {
  LanguageModelToolResult?: new (parts: unknown[]) => unknown;
  LanguageModelTextPart?: new (text: string) => unknown;
}

/** Register the tool where the editor has them. */
export function registerTool(client: Client, diagnoses: Diagnoses): vscode.Disposable | undefined {
  const tools = (vscode as { lm?: Tools }).lm;
  const { LanguageModelToolResult: Result, LanguageModelTextPart: Text } = vscode as Parts;
  if (!tools?.registerTool || !Result || !Text) {
    return undefined;
  }
  return tools.registerTool(NAME, {
    prepareInvocation: ({ input }: { input: Input }) => ({
      invocationMessage: input.path ? `Diagnosing ${input.path}` : "Diagnosing a log",
    }),
    invoke: async ({ input }: { input: Input }, token: vscode.CancellationToken) => {
      const text = await toolAnswer(client, diagnoses, input, token);
      return new Result([new Text(text)]);
    },
  });
}

/** The redacted report as Markdown. */
async function toolAnswer(client: Client, diagnoses: Diagnoses, input: Input, token?: vscode.CancellationToken): Promise<string> {
  let uri: string | undefined;
  if (input.text) {
    uri = (await client.request<Answer>("firstfault/diagnose", { text: input.text, name: "log" }, token)).reportUri;
  } else if (input.path) {
    uri = (await client.request<Answer>("firstfault/diagnosePaths", { paths: [input.path] }, token)).reportUri;
  } else {
    uri = diagnoses.last?.reportUri;
  }
  if (uri === undefined) {
    return "There is no diagnosis yet. Give the text of a log, or the path of a log or of a folder of logs.";
  }
  return client.redacted(uri, token);
}
