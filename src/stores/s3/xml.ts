/**
 * Returns the texts within all elements of a name, in their order, in the XML that S3 answers with: elements of a name do not nest
 * there, and have no attributes where it matters. Takes time linear in the text, whatever it is.
 */
export function elements(xml: string, name: string): string[] {
  const [open, close] = [`<${name}>`, `</${name}>`]
  const found: string[] = []
  for (let at = xml.indexOf(open); at >= 0; at = xml.indexOf(open, at)) {
    const end = xml.indexOf(close, at)
    if (end < 0) break
    found.push(xml.slice(at + open.length, end))
    at = end
  }
  return found
}

/** Returns the characters of the first element of a name, or undefined where there is none. */
export function textOf(xml: string, name: string): string | undefined {
  const [first] = elements(xml, name)
  return first?.replaceAll(/&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,7})|#x([0-9a-fA-F]{1,6}));/g, (whole, named, decimal, hex) =>
    named ? (NAMED[named as keyof typeof NAMED] ?? whole) : characterOf(decimal ? Number(decimal) : Number.parseInt(hex, 16)),
  )
}

const NAMED = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" } as const

function characterOf(code: number): string {
  return code <= 0x10_ffff ? String.fromCodePoint(code) : '\uFFFD'
}
