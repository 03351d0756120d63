import type { OpenApi, OperationObject, Parameter, Ref, Response } from '#http/openapi/shapes.ts'
import { curlOf } from './curl.ts'
import { type Html, html, inline, prose } from './html.ts'
import { rowView, shapeView, typeOf } from './shape-view.ts'

/** An operation with the path and the method it is at. */
export interface Placed {
  readonly path: string
  readonly method: string
  readonly operation: OperationObject
}

const PLACES: readonly (readonly [Parameter['in'], string])[] = [
  ['path', 'In the address'],
  ['query', 'Parameters'],
  ['header', 'Headers'],
]

/** Renders an operation. */
export function operationView(document: OpenApi, placed: Placed): Html {
  const { path, method, operation } = placed
  const parameters = (operation.parameters ?? []).map((one) => parameterOf(document, one))
  const answers = Object.entries(operation.responses).map(([status, one]) => ({ status, answer: responseOf(document, one) }))
  return html`<article class="operation" id="${operation.operationId}">
<h3><a href="#${operation.operationId}">${operation.summary}</a></h3>
<p class="address">${badge(method)} <code>${broken(path)}</code>${operation.security.length === 0 && html` <span class="open">no token</span>`}</p>
<div class="sides"><div class="words">
${prose(operation.description)}
${PLACES.map(([place, title]) =>
  parametersView(
    title,
    parameters.filter((one) => one.in === place),
  ),
)}
${bodyView(operation)}
<h4>Answers</h4>
${answers.map(({ status, answer }) => answerView(status, answer))}
</div><div class="samples">
${sampleView('Request', curlOf(document.servers[0]?.url ?? '', path, method, operation))}
${answers.slice(0, 1).map(({ status, answer }) => exampleView(`Answer ${status}`, answer))}
</div></div>
</article>`
}

/** The method, as a small label. */
export function badge(method: string): Html {
  return html`<span class="method ${method}">${method.toUpperCase()}</span>`
}

/** An address that may be broken into lines at its slashes. */
function broken(path: string): Html {
  return html`${path.split('/').map((part, i) => (i === 0 ? part : html`/<wbr>${part}`))}`
}

function parametersView(title: string, parameters: readonly Parameter[]): Html {
  if (parameters.length === 0) return html``
  const rows = parameters.map(({ name, schema, required, description }) =>
    rowView(name, schema, required === true, undefined, description ?? schema.description),
  )
  return html`<h4>${title}</h4><dl class="shape">${rows}</dl>`
}

function bodyView({ requestBody }: OperationObject): Html {
  if (!requestBody) return html``
  const media = Object.entries(requestBody.content)
  return html`<h4>Body</h4>${media.map(
    ([type, { schema }]) =>
      html`<p class="media"><code>${type}</code>${!requestBody.required && ', not needed'}</p>${shapeView(schema)}`,
  )}`
}

/** Errors are in one shape, which is described once. */
function answerView(status: string, { description, headers = {}, content = {} }: Response): Html {
  const isError = Number(status) >= 400
  const named = Object.keys(headers).filter((name) => name !== 'X-Request-Id' && !name.startsWith('RateLimit'))
  const shapes = Object.entries(content).map(([type, { schema }]) =>
    isError ? html`<p>${typeOf(schema)}</p>` : html`<p class="media"><code>${type}</code></p>${shapeView(schema)}`,
  )
  return html`<details class="answer"${!isError && html` open`}><summary><span class="status s${status.charAt(0)}">${status}</span> ${inline(description)}</summary>
${shapes}${named.length > 0 && html`<p class="limits">Headers: ${named.join(', ')}</p>`}</details>`
}

function exampleView(title: string, { content = {} }: Response): Html {
  const example = content['application/json']?.example
  return example === undefined ? html`` : sampleView(title, JSON.stringify(example, null, 2))
}

function sampleView(title: string, text: string): Html {
  return html`<figure><figcaption>${title}</figcaption><pre tabindex="0" role="group" aria-label="${title}"><code>${text}</code></pre></figure>`
}

function parameterOf({ components }: OpenApi, one: Parameter | Ref): Parameter {
  if ('name' in one) return one
  const name = nameOf(one)
  return components.parameters[name] ?? { name, in: 'header', schema: {} }
}

function responseOf({ components }: OpenApi, one: Response | Ref): Response {
  return 'description' in one ? one : (components.responses[nameOf(one)] ?? { description: '' })
}

function nameOf({ $ref }: Ref): string {
  return $ref.split('/').pop() ?? ''
}
