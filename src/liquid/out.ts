import { toValue } from 'liquidjs'

/** The text that a rendering makes. An emitter for LiquidJS, too. */
export class Out {
  buffer = ''

  write(value: unknown): void {
    this.buffer += textOf(value)
  }
}

/** The text that LiquidJS prints for a value. */
export function textOf(given: unknown): string {
  if (typeof given === 'string') return given
  const value: unknown = toValue(given)
  if (value === null || value === undefined) return ''
  return Array.isArray(value) ? value.map(textOf).join('') : String(value)
}
