import { hash } from 'node:crypto'

/** The styles of the page: the colours of the starter theme, with the text beside the code to type. */
export const STYLE = `:root {
  color-scheme: light dark;
  --paper: #fff; --wash: #f3f5f3; --line: #dde2de; --ink: #151a18; --soft: #58615d; --accent: #0a6a4c;
  --panel: #17201d; --on-panel: #dbe6e0; --panel-soft: #8fa39a;
  --get: #0a6a4c; --post: #1f5fa8; --put: #8a5200; --delete: #b3261e;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #101413; --wash: #1a201e; --line: #2d3532; --ink: #e2e7e4; --soft: #9aa5a0; --accent: #6ed2aa;
    --panel: #0a0d0c; --get: #6ed2aa; --post: #86b8f2; --put: #e5b567; --delete: #f2958e;
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { font-size: 1rem; scroll-padding-top: 4.5rem; text-size-adjust: 100%; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 var(--sans); overflow-wrap: break-word; }
a { color: var(--accent); text-underline-offset: 0.15em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 2px; }
code, pre { font-family: var(--mono); font-size: 0.875em; }
p { margin: 0 0 0.75rem; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: 0.75rem; z-index: 3; background: var(--paper); padding: 0.25rem 0.75rem; }
.top { position: sticky; top: 0; z-index: 2; display: flex; align-items: baseline; gap: 0.75rem; padding: 0.75rem clamp(1rem, 3vw, 2rem);
  background: var(--paper); border-bottom: 1px solid var(--line); }
.top .name { color: var(--ink); font-weight: 650; text-decoration: none; }
.version { color: var(--soft); font: 0.8125rem var(--mono); }
.raw { margin-left: auto; font: 0.8125rem var(--mono); }
.columns { display: grid; grid-template-columns: minmax(0, 1fr); }
nav { padding: 0 clamp(1rem, 3vw, 2rem); border-bottom: 1px solid var(--line); font-size: 0.875rem; }
nav h2 { margin: 1.25rem 0 0.35rem; font-size: 0.75rem; letter-spacing: 0.05em; text-transform: uppercase; }
nav h2 a { color: var(--soft); text-decoration: none; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: flex; align-items: baseline; gap: 0.5rem; padding: 0.4rem 0; color: var(--ink); text-decoration: none; line-height: 1.3; }
nav li a:hover span:last-child, nav h2 a:hover { text-decoration: underline; }
nav .list { padding-bottom: 1.25rem; }
.menu summary { padding: 0.75rem 0; font-weight: 600; cursor: pointer; }
.menu:not([open]) + .list { display: none; }
main { min-width: 0; padding: 0 clamp(1rem, 3vw, 2.5rem) 6rem; }
h1 { margin: 2rem 0 1rem; font-size: clamp(1.75rem, 1.4rem + 1.6vw, 2.5rem); line-height: 1.15; letter-spacing: -0.02em; text-wrap: balance; }
main > section > h2 + p { margin-top: 1rem; color: var(--soft); }
main > section > h2 { margin: 3.5rem 0 0; padding-bottom: 0.5rem; border-bottom: 2px solid var(--ink); font-size: 1.5rem; letter-spacing: -0.01em; }
.intro { max-width: 44rem; }
h3 { margin: 0 0 0.5rem; font-size: 1.1875rem; line-height: 1.3; }
h3 a { color: inherit; text-decoration: none; }
h3 a:hover { text-decoration: underline; }
h4 { margin: 1.5rem 0 0.5rem; color: var(--soft); font-size: 0.75rem; letter-spacing: 0.05em; text-transform: uppercase; }
.operation, .shape-of { padding: 2rem 0; border-bottom: 1px solid var(--line); }
.address { margin-bottom: 1rem; font-size: 0.9375rem; }
.method { display: inline-block; min-width: 3.9em; font: 700 0.6875rem var(--mono); letter-spacing: 0.02em; }
.get { color: var(--get); } .post { color: var(--post); } .put, .patch { color: var(--put); } .delete { color: var(--delete); }
.address .method { min-width: 0; padding: 0.2rem 0.45rem; border: 1px solid currentcolor; border-radius: 0.25rem; margin-right: 0.25rem; }
.open { margin-left: 0.5rem; color: var(--soft); font-size: 0.8125rem; white-space: nowrap; }
.shape { margin: 0; border-top: 1px solid var(--line); }
.shape dt { padding-top: 0.55rem; }
.shape dt code { font-weight: 650; }
.shape dd { margin: 0; padding-bottom: 0.55rem; border-bottom: 1px solid var(--line); font-size: 0.9375rem; color: var(--soft); }
.shape dd p { margin: 0.1rem 0 0; }
.shape .shape { margin: 0.5rem 0 0; padding-left: 1rem; border-top: 0; border-left: 2px solid var(--line); }
.shape .shape > dd:last-child { border-bottom: 0; padding-bottom: 0; }
.type { color: var(--soft); font-size: 0.875rem; }
.must { color: var(--delete); font-size: 0.75rem; }
.limits { color: var(--soft); font-size: 0.8125rem; }
.media { margin: 0 0 0.5rem; color: var(--soft); font-size: 0.875rem; }
.answer { border-bottom: 1px solid var(--line); padding: 0.45rem 0; font-size: 0.9375rem; }
.answer > .shape { border-top: 0; }
.answer > .shape > dd:last-child { border-bottom: 0; }
.answer summary { cursor: pointer; }
.answer > :not(summary) { margin: 0.5rem 0 0.25rem; }
.status { font: 700 0.8125rem var(--mono); }
.s2, .s3 { color: var(--get); } .s4, .s5 { color: var(--delete); }
figure { margin: 0 0 1rem; border-radius: 0.5rem; overflow: hidden; background: var(--panel); color: var(--on-panel); border: 1px solid var(--line); }
figcaption { padding: 0.5rem 1rem 0; color: var(--panel-soft); font-size: 0.75rem; }
pre { margin: 0; padding: 0.5rem 1rem 0.9rem; overflow-x: auto; line-height: 1.5; tab-size: 2; }
.samples pre { max-height: 30rem; }
@media (min-width: 60rem) {
  .columns { grid-template-columns: 17.5rem minmax(0, 1fr); }
  nav { position: sticky; top: 3.1rem; height: calc(100vh - 3.1rem); overflow-y: auto; border-bottom: 0; border-right: 1px solid var(--line); padding-right: 1rem; }
  .menu { display: none; }
  .menu:not([open]) + .list { display: block; }
}
@media (min-width: 80rem) {
  .sides { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 27rem); gap: 2.5rem; }
  .samples { position: sticky; top: 4.5rem; align-self: start; }
  main { max-width: 84rem; }
}
@media print { .top, nav { display: none; } .columns { display: block; } }
`

/** The content security policy of the page: it may only load its own styles. */
export const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`
