/** Returns what a browser without scripts sends of the form with this action, as the page shows it: with CRLF, buttons left out. */
export function formIn(html: string, action: string): Record<string, string | string[]> {
  const start = html.indexOf(`action="${action}"`)
  if (start < 0) throw new Error(`There is no form for ${action}.`)
  const form = html.slice(html.lastIndexOf('<form', start), html.indexOf('</form>', start))
  const sent: Record<string, string[]> = {}
  const add = (name: string, value: string) => {
    sent[name] = [...(sent[name] ?? []), value.replaceAll(/\r\n|\r|\n/g, '\r\n')]
  }
  const outside = form.replaceAll(/<template[\s\S]*?<\/template>/g, '')
  for (const [, tag = '', attributes = '', rest = ''] of outside.matchAll(CONTROL)) {
    const name = attributeOf(attributes, 'name')
    if (name === undefined || /\sdisabled(?=[\s>]|$)/.test(attributes)) continue
    const type = attributeOf(attributes, 'type') ?? 'text'
    if (tag === 'input' && (type === 'checkbox' || type === 'radio')) {
      if (/\schecked(?=[\s>]|$)/.test(attributes)) add(name, attributeOf(attributes, 'value') ?? 'on')
    } else if (tag === 'input') add(name, attributeOf(attributes, 'value') ?? '')
    // A parser takes away the line break after the tag.
    else if (tag === 'textarea') add(name, decoded(rest).replace(/^\r?\n/, ''))
    else
      for (const [, option = ''] of rest.matchAll(/<option([^>]*\sselected[^>]*)>/g))
        add(name, attributeOf(option, 'value') ?? '')
  }
  return Object.fromEntries(
    Object.entries(sent).map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  )
}

const CONTROL =
  /<(input|textarea|select)((?:\s[^>"]*(?:"[^"]*")?)*)>(?:(?<=<(?:textarea|select)[^>]*>)([\s\S]*?)<\/(?:textarea|select)>)?/g

function attributeOf(attributes: string, name: string): string | undefined {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(attributes)?.[1]
  return value === undefined ? undefined : decoded(value)
}

function decoded(html: string): string {
  const names: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
  return html.replaceAll(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, number, hex, name) => {
    if (number !== undefined) return String.fromCodePoint(Number(number))
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16))
    return names[name] ?? whole
  })
}
