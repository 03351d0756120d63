import type { Schema } from '#http/openapi/shapes.ts'
import { type Html, html, inline } from './html.ts'

/** Greatest depth to which shapes are shown inside one another. */
const DEEPEST = 5
/** Keywords that limit a value, and their text. */
const LIMITS: readonly (readonly [string, string])[] = [
  ['minimum', 'at least'],
  ['maximum', 'at most'],
  ['minLength', 'least length'],
  ['maxLength', 'greatest length'],
  ['pattern', 'like'],
  ['default', 'if not said'],
]

/** The parts of a shape: its properties with what each is, those inside them below. */
export function shapeView(schema: Schema, depth = 1): Html {
  const inner = innerOf(schema)
  const properties = Object.entries((inner.properties ?? {}) as Record<string, Schema>)
  const required = new Set(Array.isArray(inner.required) ? inner.required : [])
  if (properties.length === 0) return depth === 1 ? html`<p class="type">${typeOf(schema)}</p>` : html``
  const rows = properties.map(([name, part]) => rowView(name, part, required.has(name), depth))
  return html`<dl class="shape">${rows}</dl>`
}

/** Renders a name with its type and description. */
export function rowView(name: string, schema: Schema, isRequired: boolean, depth = DEEPEST, said = schema.description): Html {
  const description = typeof said === 'string' && html`<p>${inline(said)}</p>`
  const limits = limitsOf(schema)
  const parts = depth < DEEPEST ? shapeView(schema, depth + 1) : html``
  return html`<dt><code>${name}</code> <span class="type">${typeOf(schema)}</span>${isRequired && html` <span class="must">required</span>`}</dt>
<dd>${description}${limits && html`<p class="limits">${limits}</p>`}${parts}</dd>`
}

/** Describes a value in a few words; a shape with a name links to its description. */
export function typeOf(schema: Schema): Html {
  const { $ref, type, items, format, enum: choices, const: only } = schema
  if (typeof $ref === 'string') return linkTo($ref)
  if (only !== undefined) return html`<code>${JSON.stringify(only)}</code>`
  if (Array.isArray(choices)) return html`${joined(choices.map((choice) => html`<code>${JSON.stringify(choice)}</code>`))}`
  if (isList(schema)) return html`list of ${typeOf(items as Schema)}${type !== 'array' && ' or null'}`
  if (type === undefined) return html`anything`
  return html`${[type].flat().join(' or ')}${typeof format === 'string' && ` (${format})`}`
}

function joined(parts: readonly Html[]): Html {
  return html`${parts.map((part, i) => (i === 0 ? part : html` or ${part}`))}`
}

function linkTo(ref: string): Html {
  const name = ref.split('/').pop() ?? ''
  return html`<a href="#shape-${name}">${name}</a>`
}

function innerOf(schema: Schema): Schema {
  return isList(schema) ? innerOf(schema.items as Schema) : schema
}

function isList({ type, items }: Schema): boolean {
  return [type].flat().includes('array') && items !== undefined
}

function limitsOf(schema: Schema): string {
  const said = LIMITS.flatMap(([keyword, words]) => (schema[keyword] === undefined ? [] : `${words} ${String(schema[keyword])}`))
  return said.join(', ')
}
