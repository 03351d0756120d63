import type { OpenApi } from '#http/openapi/shapes.ts'
import { Html, html, inline, prose } from './html.ts'
import { badge, operationView, type Placed } from './operation-view.ts'
import { shapeView } from './shape-view.ts'
import { STYLE } from './style.ts'

/** A document as a page that needs no script and nothing from elsewhere. */
export function renderPage(document: OpenApi): string {
  const { info } = document
  const groups = groupsOf(document)
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${info.title}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<a class="skip" href="#content">To the content</a>
<header class="top"><a class="name" href="#content">${info.title}</a> <span class="version">${info.version}</span>
<a class="raw" href="/api/openapi.json">openapi.json</a></header>
<div class="columns">
<nav aria-label="Operations"><details class="menu"><summary>Operations</summary></details>
<div class="list">${groups.map(navigationOf)}<h2><a href="#shapes">Shapes</a></h2></div></nav>
<main id="content">
<section class="intro"><h1>${info.title}</h1>${prose(info.description)}
<p>The same as a document for programs: <a href="/api/openapi.json">OpenAPI 3.1</a>. Asked for with a token, it describes the content types that the token may read too, with the fields of each.</p></section>
${groups.map(({ tag, description, operations }) => html`<section id="${idOf(tag)}"><h2>${tag}</h2>${prose(description)}${operations.map((placed) => operationView(document, placed))}</section>`)}
${shapesView(document)}
</main>
</div>
</body>
</html>
`
  return page.text
}

interface Group {
  readonly tag: string
  readonly description: string | undefined
  readonly operations: readonly Placed[]
}

function groupsOf({ tags, paths }: OpenApi): Group[] {
  const all = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): Placed => ({ path, method, operation })),
  )
  return tags.map(({ name, description }) => ({
    tag: name,
    description,
    operations: all.filter(({ operation }) => operation.tags.includes(name)),
  }))
}

function navigationOf({ tag, operations }: Group): Html {
  const items = operations.map(
    ({ method, operation }) =>
      html`<li><a href="#${operation.operationId}">${badge(method)} <span>${operation.summary}</span></a></li>`,
  )
  return html`<h2><a href="#${idOf(tag)}">${tag}</a></h2><ul>${items}</ul>`
}

function shapesView({ components }: OpenApi): Html {
  const shapes = Object.entries(components.schemas).map(
    ([name, schema]) => html`<article class="shape-of" id="shape-${name}"><h3><a href="#shape-${name}">${name}</a></h3>
${typeof schema.description === 'string' && html`<p>${inline(schema.description)}</p>`}${shapeView(schema)}</article>`,
  )
  return html`<section id="shapes"><h2>Shapes</h2>${shapes}</section>`
}

function idOf(tag: string): string {
  return `about-${tag.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`
}
