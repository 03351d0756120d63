import anyAscii from 'any-ascii'

const PLAIN = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

/** `text` as lower-case ASCII words joined by `-`, at most `max` characters, cut at a word; '' where nothing is left. */
export function slugify(text: string, max = 100): string {
  if (text.length <= max && PLAIN.test(text)) return text
  const words = anyAscii(text.normalize('NFC'))
    .toLowerCase()
    .replace(/['’`]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return cut(words, max)
}

function cut(words: string, max: number): string {
  if (words.length <= max) return words
  if (words[max] === '-') return words.slice(0, max)
  const end = words.lastIndexOf('-', max)
  return words.slice(0, end > 0 ? end : max)
}
