// The page of a diagnosis: a pure function from the report to HTML. Buttons carry indexes; what they do is decided outside.
import { escaped } from "./html";
import { Names } from "./places";
import type { Diagnosis, FixStep, Incident, Report } from "./report";
import { timeline } from "./timeline";
import { cause, owner, plural, ranksOf, timeOfDay, verdict } from "./words";

export interface PageResources {
  nonce: string;
  cspSource: string;
  style: string;
  script: string;
  /** Folders of the workspace, as paths. */
  folders: readonly string[];
}

const RISKS: Record<string, string> = {
  restart: "restarts the run or the service",
  "data-loss": "may lose data",
  admin: "needs an administrator",
};

/** The caution of a step; null when it has none. */
export function cautionOf(step: FixStep): string | null {
  return step.caution ?? RISKS[step.risk] ?? null;
}

export function page(diagnosis: Diagnosis, resources: PageResources): string {
  const { report } = diagnosis;
  const names = new Names(report, resources.folders);
  const policy = `default-src 'none'; style-src ${resources.cspSource}; script-src 'nonce-${resources.nonce}'`;
  const body =
    report.incidents.length === 0
      ? notes(report)
      : report.incidents.map((incident, index) => incidentPart(diagnosis, incident, index, names)).join("") + notes(report);
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${resources.style}">
<title>Firstfault</title>
</head>
<body>
<main>
${head(diagnosis)}
${body}
${foot(diagnosis)}
</main>
<div id="live" class="for-screen-readers" role="status" aria-live="polite"></div>
<script nonce="${resources.nonce}" src="${resources.script}"></script>
</body>
</html>`;
}

function head(diagnosis: Diagnosis): string {
  const { report } = diagnosis;
  const first = report.incidents[0];
  const sign = report.verdict === "no-failure" ? "✔" : first?.status === "undetermined" ? "?" : "✖";
  const state = first
    ? `<span class="status ${first.status}" title="how sure this is">${first.status} · ${first.confidence.toFixed(2)}</span>`
    : "";
  const code = diagnosis.exitCode === undefined ? "" : ` · exit code ${diagnosis.exitCode}`;
  return `<header class="${report.verdict}">
<h1><span class="sign" aria-hidden="true">${sign}</span> ${escaped(verdict(report))} ${state}</h1>
<p class="origin">${escaped(diagnosis.title)}${code}</p>
</header>`;
}

function incidentPart(diagnosis: Diagnosis, incident: Incident, index: number, names: Names): string {
  const title = index === 0 ? "" : `<h2 class="next">And independently of it: ${escaped(incident.title)}</h2>`;
  // One picture shows the whole run, whatever failed in it.
  const picture = index === 0 && diagnosis.picture ? timeline(diagnosis.picture, names) : "";
  return `<article data-incident="${index}">
${title}
${place(incident, index, names)}
${picture}
<div class="columns">
<div>${part("Cause", paragraph(cause(incident), names) + turn(incident))}
${part("Why first", paragraph(incident.why_first, names))}
${collateral(incident, index, names)}</div>
<div>${fix(incident, index)}
${verify(incident, index)}
${missing(incident, index)}</div>
</div>
${evidence(incident, index, names)}
${references(incident, index)}
</article>`;
}

function part(title: string, content: string): string {
  return content ? `<section><h2>${title}</h2>${content}</section>` : "";
}

function paragraph(text: string, names: Names): string {
  return text ? `<p>${escaped(names.compact(text))}</p>` : "";
}

function turn(incident: Incident): string {
  const name = owner(incident.owner);
  return name && incident.status !== "undetermined" ? `<p class="turn">Whose turn: <strong>${escaped(name)}</strong></p>` : "";
}

function place({ initiator }: Incident, index: number, names: Names): string {
  if (initiator.source === null || initiator.line === null) {
    return "";
  }
  const when = initiator.time ? `<time title="${escaped(initiator.time)}">${escaped(timeOfDay(initiator.time))}</time> ` : "";
  const where = link("first", index, -1, names.at(initiator.source, initiator.line));
  const text = initiator.text ? `<pre class="line">${escaped(initiator.text)}</pre>` : "";
  return `<div class="place">${when}${where}${text}</div>`;
}

function link(act: string, incident: number, index: number, text: string): string {
  return `<button class="link" data-act="${act}" data-incident="${incident}" data-index="${index}">${escaped(text)}</button>`;
}

function button(act: string, incident: number, index: number, text: string, about: string): string {
  return `<button data-act="${act}" data-incident="${incident}" data-index="${index}" aria-label="${escaped(`${text}: ${about}`)}">${text}</button>`;
}

function command(text: string | null): string {
  return text ? `<pre class="command"><code>${escaped(text)}</code></pre>` : "";
}

function collateral(incident: Incident, index: number, names: Names): string {
  const items = incident.collateral.map((one, number) => {
    const count = one.count > 1 ? `${one.count} × ` : "";
    const ranks = one.ranks.length ? ` · ${ranksOf(one.ranks)}` : "";
    const kind = one.role === "wrapper" ? "□" : "○";
    const why = one.explained_by ? `<div class="why">${escaped(names.compact(one.explained_by))}</div>` : "";
    return `<li><span class="key" aria-hidden="true">${kind}</span> ${count}${escaped(one.title)}${ranks} · ${link("collateral", index, number, names.at(one.source, one.line))}${why}</li>`;
  });
  return part("Collateral", items.length ? `<ul class="plain">${items.join("")}</ul>` : "");
}

function fix(incident: Incident, index: number): string {
  const steps = incident.fix.map((step, number) => {
    const caution = cautionOf(step);
    const warned = caution ? `<p class="caution"><strong>Caution:</strong> ${escaped(caution)}</p>` : "";
    const run = step.command ? button("runFix", index, number, "Run", step.command) : "";
    return `<li><p>${escaped(step.text)}</p>${warned}${command(step.command)}<p class="buttons">${button("copyFix", index, number, "Copy", step.command ?? step.text)}${run}</p></li>`;
  });
  return part("Fix", steps.length ? `<div class="edits" data-incident="${index}"></div><ol>${steps.join("")}</ol>` : "");
}

function verify(incident: Incident, index: number): string {
  const steps = incident.verify.map((step, number) => {
    const expect = step.expect ? `<p class="expect">Expect: <em>${escaped(step.expect)}</em></p>` : "";
    const buttons = step.command
      ? `<p class="buttons">${button("runVerify", index, number, "Run", step.command)}${button("copyVerify", index, number, "Copy", step.command)}</p>`
      : "";
    const result = `<p class="result" data-result="verify-${index}-${number}" role="status"></p>`;
    return `<li><p>${escaped(step.text)}</p>${command(step.command)}${expect}${buttons}${result}</li>`;
  });
  return part("Verify", steps.length ? `<ol>${steps.join("")}</ol>` : "");
}

function missing(incident: Incident, index: number): string {
  const items = incident.missing.map((one, number) => {
    const buttons = one.command
      ? `<p class="buttons">${button("copyMissing", index, number, "Copy", one.command)}${button("runMissing", index, number, "Run", one.command)}</p>`
      : "";
    const shows = one.would_show ? `<p class="why">It would show: ${escaped(one.would_show)}</p>` : "";
    return `<li><p>${escaped(one.fact)}</p>${shows}${command(one.command)}${buttons}</li>`;
  });
  return part("Missing", items.length ? `<ul class="plain">${items.join("")}</ul>` : "");
}

function evidence(incident: Incident, index: number, names: Names): string {
  const items = incident.evidence.map(
    (one, number) =>
      `<li>${link("evidence", index, number, names.at(one.source, one.line))} <span class="role">${escaped(one.role)}</span><pre class="line">${escaped(one.text)}</pre></li>`,
  );
  return part("Evidence", items.length ? `<ul class="plain">${items.join("")}</ul>` : "");
}

function references(incident: Incident, index: number): string {
  const whole =
    incident.named_by === "structure" ? "" : `<li>${link("explain", index, -1, `Encyclopedia: ${incident.signature}`)}</li>`;
  const items = incident.references.map((one, number) => `<li>${link("reference", index, number, one.title || one.url)}</li>`);
  const all = whole + items.join("");
  return part("More", all ? `<ul class="plain">${all}</ul>` : "");
}

function notes(report: Report): string {
  return part("Notes", report.notes.length ? `<ul>${report.notes.map((note) => `<li>${escaped(note)}</li>`).join("")}</ul>` : "");
}

function foot({ report, unreadable }: Diagnosis): string {
  const bytes = report.sources.reduce((sum, source) => sum + source.bytes, 0);
  const read = `${plural(report.sources.length, "log")}, ${size(bytes)}`;
  const hosts = report.run.hosts.length ? ` · ${plural(report.run.hosts.length, "host")}` : "";
  const ranks = report.run.ranks_seen.length ? ` · ${plural(report.run.ranks_seen.length, "rank")}` : "";
  const bad = unreadable.length ? `<p class="caution">${unreadable.map(escaped).join("<br>")}</p>` : "";
  return `<footer>${bad}<p>${read}${hosts}${ranks} · catalogue ${escaped(report.tool.catalog)}</p>
<p class="buttons"><button data-act="copyReport">Copy redacted report</button><button data-act="openReport">Open as Markdown</button></p></footer>`;
}

function size(bytes: number): string {
  const units = ["bytes", "KB", "MB", "GB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit && value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}
