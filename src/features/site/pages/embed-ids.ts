import { attributeAt, type HtmlAttribute, walkTags } from '#core/links/html-tags.ts'

/** Attributes whose values are ids of the same page. */
const REFERENCES = /^(?:for|headers|aria-(?:labelledby|describedby))$/i

/** HTML of a text that another takes in, with ids that no other part of the page has. */
export interface Renamed {
  /** Stands before each id. */
  readonly prefix: string
  /** The address of the page of its own, to which links to parts lead that are not in it. */
  readonly page: string
}

/** Returns HTML with its ids, and what refers to them, renamed. */
export function withOwnIds(html: string, { prefix, page }: Renamed): string {
  const ids = new Set<string>()
  const attributes: { tag: string; attribute: HtmlAttribute }[] = []
  walkTags(html, (tag, from) => {
    let at = from
    for (let next = attributeAt(html, at); next; next = attributeAt(html, at)) {
      at = next.end
      attributes.push({ tag: tag.toLowerCase(), attribute: next })
      if (isId(tag, next) && next.value !== undefined) ids.add(next.value)
    }
    return at
  })
  let [made, at] = ['', 0]
  for (const { tag, attribute } of attributes) {
    const { value, valueEnd } = attribute
    const other = value === undefined ? undefined : renamed(tag, { ...attribute, value })
    if (value === undefined || other === undefined) continue
    made += html.slice(at, valueEnd - value.length) + other
    at = valueEnd
  }
  return made + html.slice(at)

  function renamed(tag: string, attribute: HtmlAttribute & { value: string }): string | undefined {
    const { name, value } = attribute
    if (isId(tag, attribute)) return prefix + value
    if (REFERENCES.test(name)) return value.replace(/[^\s]+/g, (id) => (ids.has(id) ? prefix + id : id))
    if (tag !== 'a' || name.toLowerCase() !== 'href' || !value.startsWith('#') || value === '#') return undefined
    return ids.has(value.slice(1)) || ids.has(decoded(value.slice(1))) ? `#${prefix}${value.slice(1)}` : page + value
  }
}

function isId(tag: string, { name }: HtmlAttribute): boolean {
  return name.toLowerCase() === 'id' || (tag.toLowerCase() === 'a' && name.toLowerCase() === 'name')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
