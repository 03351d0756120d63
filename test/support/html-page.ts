import { createRequire } from 'node:module'
import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import { toolFolder } from './chromium.ts'

/** An address in a page: the element and attribute that it stands in, and its line. */
export interface PageAddress {
  readonly at: string
  readonly address: string
  readonly line: number
}

/** What a walk has to know of a page: what a parser complains of, the ids that it has, and all addresses in it. */
export interface HtmlPage {
  readonly faults: readonly string[]
  readonly ids: ReadonlySet<string>
  readonly addresses: readonly PageAddress[]
  readonly canonical: string | undefined
  /** Set where a browser goes on to another address at once. */
  readonly isRedirect: boolean
}

const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  a: ['href'],
  area: ['href'],
  audio: ['src'],
  iframe: ['src'],
  img: ['src', 'srcset'],
  link: ['href', 'imagesrcset'],
  script: ['src'],
  source: ['src', 'srcset'],
  track: ['src'],
  video: ['src', 'poster'],
}
const SHARED = /^(?:og:(?:image|url)|twitter:image)$/

/** Reads a page as browsers do, and puts down each error of the HTML standard's parser. */
export function htmlPage(html: string): HtmlPage {
  const faults: string[] = []
  const ids = new Set<string>()
  const addresses: PageAddress[] = []
  const lines = html.split('\n')
  const onParseError = ({ code, startLine, startCol }: { code: string; startLine: number; startCol: number }) =>
    faults.push(
      `${code} at ${startLine}:${startCol}: ${(lines[startLine - 1] ?? '').slice(Math.max(0, startCol - 60), startCol + 40)}`,
    )
  let canonical: string | undefined
  let isRedirect = false
  const look = (node: DefaultTreeAdapterTypes.Node): void => {
    if ('attrs' in node) {
      const attributes = Object.fromEntries(node.attrs.map(({ name, value }) => [name, value]))
      const line = node.sourceCodeLocation?.startLine ?? 0
      const add = (at: string, address: string) => addresses.push({ at, address, line })
      if (attributes.id !== undefined) {
        if (ids.has(attributes.id)) faults.push(`id "${attributes.id}" is there twice`)
        ids.add(attributes.id)
      }
      if (node.tagName === 'a' && attributes.name) ids.add(attributes.name)
      for (const name of ADDRESSES[node.tagName] ?? []) {
        const value = attributes[name]
        if (value === undefined) continue
        for (const address of name.endsWith('srcset') ? candidates(value) : [value]) add(`${node.tagName} ${name}`, address)
      }
      if (node.tagName === 'script' && attributes.type === 'application/ld+json')
        for (const address of addressesIn(JSON.parse(textOf(node)))) add('JSON-LD', address)
      if (node.tagName === 'link' && attributes.rel === 'canonical') canonical = attributes.href
      if (node.tagName === 'meta' && SHARED.test(attributes.property ?? attributes.name ?? ''))
        add('meta content', attributes.content ?? '')
      if (node.tagName === 'meta' && attributes['http-equiv'] === 'refresh') {
        isRedirect = true
        add('meta refresh', /url=(.*)$/i.exec(attributes.content ?? '')?.[1] ?? '')
      }
    }
    if ('childNodes' in node) for (const child of node.childNodes) look(child)
    if ('content' in node) look(node.content)
  }
  look(parse(html, { onParseError, sourceCodeLocationInfo: true }))
  return { faults, ids, addresses, canonical, isRedirect }
}

function textOf(node: DefaultTreeAdapterTypes.ParentNode): string {
  return node.childNodes.map((child) => ('value' in child ? child.value : '')).join('')
}

/** All addresses of the web among the values of a JSON document. */
function addressesIn(value: unknown): string[] {
  if (typeof value === 'string') return /^https?:\/\/\S+$/.test(value) ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, one]) => (name === '@context' ? [] : addressesIn(one)))
}

/** The addresses of a srcset. */
function candidates(srcset: string): string[] {
  return srcset
    .split(/,\s+/)
    .map((candidate) => candidate.trim().split(/\s+/)[0] ?? '')
    .filter((address) => address !== '')
}

/** Makes a check that names the elements a page has where the HTML standard does not let them be (html-validate). */
export function elementCheck(): (html: string) => Promise<string[]> {
  const { HtmlValidate, StaticConfigLoader } = createRequire(import.meta.url)(toolFolder('html-validate'))
  const validator = new HtmlValidate(new StaticConfigLoader({ root: true, extends: ['html-validate:standard'] }))
  return async (html) => {
    const { results } = (await validator.validateString(html)) as { results: { messages: Message[] }[] }
    return results.flatMap(({ messages }) => messages.map(({ ruleId, message, line }) => `${ruleId} at ${line}: ${message}`))
  }
}

interface Message {
  readonly ruleId: string
  readonly message: string
  readonly line: number
}
