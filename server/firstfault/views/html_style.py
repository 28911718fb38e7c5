"""How the HTML report looks: on screens light and dark, and on paper."""

from __future__ import annotations

STYLE = """\
:root{color-scheme:light dark;--page:#fff;--ink:#1c2126;--dim:#5c6670;--line:#d5dae0;--soft:#f4f6f8;--fail:#b3201c;--warn:#8a5a00;
--pass:#1a7136;--code:#f0f2f5;--hatch:#9aa3ad}
@media (prefers-color-scheme:dark){:root{--page:#14181d;--ink:#e4e8ec;--dim:#9ba6b1;--line:#343c45;--soft:#1b2027;--fail:#ff7b72;
--warn:#e3b341;--pass:#56d364;--code:#20262d;--hatch:#6b7580}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
main{max-width:1040px;margin:0 auto;padding:28px 24px 48px}
h1{font-size:1.5rem;line-height:1.3;margin:0 0 4px;text-wrap:balance}
h2{font-size:1rem;margin:26px 0 6px}
p{margin:4px 0}
.mark{margin-right:.35em}
.fail .mark,.fail h1{color:var(--fail)}
.unsure .mark,.unsure h1{color:var(--warn)}
.pass .mark,.pass h1{color:var(--pass)}
article+article{margin-top:36px;padding-top:28px;border-top:3px solid var(--line)}
.dim{color:var(--dim);font-size:.875rem}
.where{margin-top:14px}
pre,code{font:.875rem/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
pre{margin:4px 0 8px;padding:8px 12px;background:var(--code);border-radius:6px;white-space:pre-wrap;overflow-wrap:anywhere}
pre.quote{border-left:4px solid var(--fail)}
.unsure pre.quote{border-left-color:var(--warn)}
.pair{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:0 32px}
@media (max-width:760px){.pair{grid-template-columns:minmax(0,1fr)}main{padding:18px 14px 32px}}
ol,ul{margin:4px 0;padding-left:1.5em}
li{margin:3px 0}
.caution{color:var(--warn);font-weight:600;font-size:.875rem}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{text-align:left;vertical-align:top;padding:5px 12px 5px 0;border-bottom:1px solid var(--line)}
th{color:var(--dim);font-weight:600}
td.n{text-align:right;font-variant-numeric:tabular-nums}
td,.dim,li,p{overflow-wrap:break-word}
td.place{overflow-wrap:anywhere;min-width:9.5em}
td.ranks{min-width:6em}
summary{cursor:pointer;color:var(--dim);font-size:.9rem;padding:3px 0}
summary:focus-visible,a:focus-visible{outline:2px solid var(--ink);outline-offset:2px;border-radius:2px}
a{color:inherit}
footer{margin-top:36px;padding-top:10px;border-top:1px solid var(--line)}
svg text{fill:var(--ink);font-size:13px}
svg text.host,svg text.tick{fill:var(--dim);font-size:11px}
svg text.zero{fill:var(--fail);font-weight:600}
line.column{stroke:var(--line)}
line.zero{stroke:var(--fail);stroke-dasharray:1 3}
line.life{stroke:var(--dim);stroke-width:2}
line.wait{stroke:var(--dim);stroke-width:2;stroke-dasharray:2 5}
line.spread{stroke:var(--ink);stroke-width:3;opacity:.35}
line.last{stroke:var(--dim);stroke-width:2}
line.hatch{stroke:var(--hatch);stroke-width:1.5}
rect.doubt{fill:url(#doubt);opacity:.55}
circle.first{fill:var(--fail)}
circle.cause{fill:var(--warn)}
circle.effect{fill:var(--page);stroke:var(--ink);stroke-width:2}
rect.wrapper{fill:var(--page);stroke:var(--dim);stroke-width:2}
path.exit{stroke:var(--ink);stroke-width:2;fill:none}
.legend{display:flex;flex-wrap:wrap;gap:2px 18px;list-style:none;padding:0;font-size:.85rem;color:var(--dim)}
.legend svg{vertical-align:-3px;margin-right:5px}
li.first b{color:var(--fail)}
@media print{:root{--page:#fff;--ink:#000;--dim:#444;--line:#bbb;--code:#f4f4f4;--fail:#a00;--warn:#750;--hatch:#999}
main{max-width:none;padding:0}.scroll{overflow:visible}.scroll svg{max-width:100%;height:auto}
article,tr,li,pre,svg{break-inside:avoid}h2{break-after:avoid}article{break-inside:auto}}
"""
