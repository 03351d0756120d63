/** Returns a file whose front matter is JSON as Hugo has it, from `{` to `}`, with the lines that Quire has around JSON. */
export function withJsonFences(bytes: Buffer): Buffer {
  if (bytes[0] !== 0x7b) return bytes
  const text = bytes.toString()
  const end = endOfObject(text)
  if (end < 0) return bytes
  const body = text.slice(end).replace(/^[ \t]*(?:\r?\n)?/, '')
  return Buffer.from(`---json\n${text.slice(0, end)}\n---\n${body}`)
}

/** The offset behind the object that a text begins with; −1 where it has no end. */
function endOfObject(text: string): number {
  let depth = 0
  let isInText = false
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]
    if (isInText && sign === '\\') at++
    else if (sign === '"') isInText = !isInText
    else if (isInText) continue
    else if (sign === '{') depth++
    else if (sign === '}' && --depth === 0) return at + 1
  }
  return -1
}
