/** The conversion of line endings that git makes of a text: LF in what it keeps, LF or CRLF in the file that it checks out. */
export interface Conversion {
  /** True if git looks into a file to see whether it is a text. */
  readonly isAuto: boolean
  readonly putsCrlf: boolean
}

/** The settings of a repository that decide on line endings. */
export interface EndingSettings {
  readonly autocrlf: 'true' | 'input' | 'false'
  readonly eol: 'lf' | 'crlf' | 'native'
}

/** The attributes of a path that decide on line endings, as `git check-attr` names their values. */
export interface EndingAttributes {
  readonly text?: string | undefined
  readonly crlf?: string | undefined
  readonly eol?: string | undefined
}

/** Returns the conversion of a path, or undefined where git keeps the bytes as they are. */
export function conversionOf({ text, crlf, eol }: EndingAttributes, settings: EndingSettings): Conversion | undefined {
  const kind = kindOf(text) ?? kindOf(crlf)
  if (kind === 'binary') return undefined
  const named = eol === 'lf' || eol === 'crlf' ? eol : undefined
  const isAuto = kind === 'auto' || (kind === undefined && named === undefined)
  if (named !== undefined) return { isAuto, putsCrlf: named === 'crlf' }
  if (kind === undefined && settings.autocrlf === 'false') return undefined
  return { isAuto, putsCrlf: kind !== 'input' && endsWithCrlf(settings) }
}

function kindOf(value: string | undefined): 'text' | 'binary' | 'input' | 'auto' | undefined {
  if (value === 'set') return 'text'
  if (value === 'unset') return 'binary'
  return value === 'input' || value === 'auto' ? value : undefined
}

/** Returns whether a text that says no more than that it is one is checked out with CRLF. */
export function endsWithCrlf({ autocrlf, eol }: EndingSettings): boolean {
  if (autocrlf !== 'false') return autocrlf === 'true'
  return eol === 'crlf' || (eol === 'native' && process.platform === 'win32')
}

/**
 * Returns the bytes that git keeps of a file. `isKeptWithCrlf` says that what it has of the path now is a text with CRLF, which
 * it then leaves as it is where it is to find out by itself what a text is.
 */
export function keptBytes(bytes: Buffer, conversion: Conversion | undefined, isKeptWithCrlf: boolean): Buffer {
  if (!conversion || !hasCrlf(bytes)) return bytes
  if (conversion.isAuto && (isKeptWithCrlf || isBinary(bytes))) return bytes
  return Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1')
}

/** Returns the bytes of the file that git checks out for what it keeps. */
export function checkedOutBytes(bytes: Buffer, conversion: Conversion | undefined): Buffer {
  if (!conversion?.putsCrlf || !bytes.includes('\n')) return bytes
  if (conversion.isAuto && (bytes.includes('\r') || isBinary(bytes))) return bytes
  const made = bytes.toString('latin1').replaceAll(/(?<!\r)\n/g, '\r\n')
  return made.length === bytes.length ? bytes : Buffer.from(made, 'latin1')
}

export function hasCrlf(bytes: Buffer): boolean {
  return bytes.includes('\r\n')
}

/** Returns whether git takes bytes with CRLF for a text, and so leaves a text with CRLF in what it keeps. */
export function isTextWithCrlf(bytes: Buffer): boolean {
  return hasCrlf(bytes) && !isBinary(bytes)
}

const [BACKSPACE, TAB, LF, CR, FORM_FEED, SUB, ESCAPE, SPACE, DELETE] = [8, 9, 10, 13, 12, 26, 27, 32, 127]
const PRINTABLE: ReadonlySet<number> = new Set([BACKSPACE, TAB, FORM_FEED, ESCAPE])

/** As git has it: a NUL, a CR without LF, or more than one of 128 characters that can't be shown. */
function isBinary(bytes: Buffer): boolean {
  if (bytes.includes(0)) return true
  let [shown, others] = [0, bytes.at(-1) === SUB ? -1 : 0]
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte === CR && bytes[at + 1] !== LF) return true
    if (byte === CR || byte === LF) continue
    if ((byte < SPACE && !PRINTABLE.has(byte)) || byte === DELETE) others++
    else shown++
  }
  return shown >> 7 < others
}
