/** A start tag of a page, with what stands behind it up to the next. */
export interface Tag {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  /** What stands in it behind the attributes. */
  readonly rest: string
  /** The text behind it. */
  readonly text: string
}

/** Returns what a browser without scripts sends of the form with this action, as the page shows it: with CRLF, buttons left out. */
export function formIn(html: string, action: string): Record<string, string | string[]> {
  const start = html.indexOf(` action="${action}"`)
  if (start < 0) throw new Error(`There is no form for ${action}.`)
  const form = html.slice(html.lastIndexOf('<form', start), html.indexOf('</form>', start))
  const sent: Record<string, string[]> = {}
  for (const [name, value] of pairsOf(tagsOf(form))) {
    sent[name] = [...(sent[name] ?? []), value.replaceAll(/\r\n|\r|\n/g, '\r\n')]
  }
  return Object.fromEntries(
    Object.entries(sent).map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  )
}

/** Reads the tags of a page in one go. */
export function* tagsOf(html: string): Generator<Tag> {
  for (let at = html.indexOf('<'); at >= 0; ) {
    NAME.lastIndex = at + 1
    const name = NAME.exec(html)?.[0].toLowerCase() ?? ''
    const attributes = new Map<string, string>()
    ATTRIBUTE.lastIndex = at + 1 + name.length
    let end = ATTRIBUTE.lastIndex
    for (let found = ATTRIBUTE.exec(html); found; found = ATTRIBUTE.exec(html)) {
      const [, key = '', quoted, bare] = found
      attributes.set(key.toLowerCase(), decoded(quoted ?? bare ?? ''))
      end = ATTRIBUTE.lastIndex
    }
    const close = html.indexOf('>', end)
    if (close < 0) return
    // The text of these is no markup.
    const next = /^(?:textarea|title|script|style)$/.test(name) ? html.indexOf(`</${name}`, close) : html.indexOf('<', close)
    const text = html.slice(close + 1, next < 0 ? undefined : next)
    yield { name, attributes, rest: html.slice(end, close), text }
    at = next
  }
}

const NAME = /\/?[a-z][a-z0-9-]*|!doctype|!--|/iy
const ATTRIBUTE = /\s+([^\s=>/"]+)(?:="([^"]*)"|=([^\s">]+))?/y

/** Names and values that are sent of the controls. */
function* pairsOf(tags: Iterable<Tag>): Generator<[name: string, value: string]> {
  let select: { name: string; options: { value: string; isSelected: boolean }[]; isMultiple: boolean } | undefined
  let templates = 0
  for (const { name: tag, attributes, text } of tags) {
    if (tag === 'template') templates++
    if (tag === '/template') templates--
    if (templates > 0) continue
    const name = attributes.has('disabled') ? undefined : attributes.get('name')
    const value = attributes.get('value')
    if (tag === 'option') {
      const isSelected = attributes.has('selected')
      if (!attributes.has('disabled')) select?.options.push({ value: value ?? decoded(text).trim(), isSelected })
    } else if (tag === '/select' && select) {
      const { name, options, isMultiple } = select
      const chosen = options.filter(({ isSelected }) => isSelected)
      for (const { value } of isMultiple ? chosen : [...options.slice(0, 1), ...chosen].slice(-1)) yield [name, value]
      select = undefined
    } else if (name === undefined) continue
    else if (tag === 'select') select = { name, options: [], isMultiple: attributes.has('multiple') }
    // A parser takes away the line break after the tag.
    else if (tag === 'textarea') yield [name, decoded(text.replaceAll(/\r\n?/g, '\n').replace(/^\n/, ''))]
    else if (tag === 'input') {
      const type = attributes.get('type') ?? 'text'
      if (type !== 'checkbox' && type !== 'radio') {
        if (!/^(?:submit|button|image|reset|file)$/.test(type)) yield [name, shownBy(type, value ?? '')]
      } else if (attributes.has('checked')) yield [name, value ?? 'on']
    }
  }
}

/** The value that an input makes of the one it is given. */
function shownBy(type: string, value: string): string {
  if (type === 'hidden') return value
  const line = value.replaceAll(/[\r\n]/g, '')
  if (type === 'email' || type === 'url') return line.trim()
  if (type === 'date') return /^\d{4}-\d\d-\d\d$/.test(line) ? line : ''
  if (type === 'number') return /^-?(?:\d+(?:\.\d+)?|\.\d+)(?:e[-+]?\d+)?$/i.test(line) ? line : ''
  if (type === 'datetime-local') return /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?$/.test(line) ? line : ''
  return line
}

/** Returns the text that HTML stands for. */
export function decoded(html: string): string {
  const names: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
  return html.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{1,8}));/gi, (whole, number, hex, name) => {
    if (number !== undefined || hex !== undefined) {
      const code = hex === undefined ? Number(number) : Number.parseInt(hex, 16)
      return code === 0 || code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code)
    }
    return names[name] ?? whole
  })
}
