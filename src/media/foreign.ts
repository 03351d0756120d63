import { MediaFault } from './fault.ts'

/** A type that is not taken: its word, a sentence about it, and how to have it taken. */
interface Foreign {
  readonly found: string
  readonly message: string
  readonly hint?: string
  readonly begins: readonly (readonly [offset: number, bytes: string])[]
}

const PROGRAM = 'This is a program.'
const ARCHIVE = 'This is an archive.'
const UNPACK = 'Unpack it, and upload what is in it.'
const AS_PICTURE = 'Export it as JPEG, PNG or WebP.'
const AS_SOUND = 'Convert it to MP3.'
const AS_FILM = 'Convert it to MP4 or WebM.'

/** Beginnings by which files of other types are named, in latin1. */
const FOREIGN: readonly Foreign[] = [
  {
    found: 'zip',
    message: 'This is a ZIP archive, or a file made of one (Word, Excel, EPUB, JAR).',
    hint: `${UNPACK} A text can be exported as PDF.`,
    begins: [
      [0, 'PK\x03\x04'],
      [0, 'PK\x05\x06'],
      [0, 'PK\x07\x08'],
    ],
  },
  { found: 'gzip', message: ARCHIVE, hint: UNPACK, begins: [[0, '\x1f\x8b']] },
  { found: '7z', message: ARCHIVE, hint: UNPACK, begins: [[0, '7z\xbc\xaf\x27\x1c']] },
  { found: 'rar', message: ARCHIVE, hint: UNPACK, begins: [[0, 'Rar!\x1a\x07']] },
  { found: 'xz', message: ARCHIVE, hint: UNPACK, begins: [[0, '\xfd7zXZ\0']] },
  { found: 'zstd', message: ARCHIVE, hint: UNPACK, begins: [[0, '\x28\xb5\x2f\xfd']] },
  { found: 'bzip2', message: ARCHIVE, hint: UNPACK, begins: [[0, 'BZh']] },
  { found: 'tar', message: ARCHIVE, hint: UNPACK, begins: [[257, 'ustar']] },
  { found: 'exe', message: PROGRAM, begins: [[0, 'MZ']] },
  { found: 'elf', message: PROGRAM, begins: [[0, '\x7fELF']] },
  {
    found: 'macho',
    message: PROGRAM,
    begins: [
      [0, '\xfe\xed\xfa\xce'],
      [0, '\xfe\xed\xfa\xcf'],
      [0, '\xce\xfa\xed\xfe'],
      [0, '\xcf\xfa\xed\xfe'],
      [0, '\xca\xfe\xba\xbe'],
    ],
  },
  { found: 'wasm', message: PROGRAM, begins: [[0, '\0asm']] },
  {
    found: 'tiff',
    message: 'This is a TIFF, which browsers don’t show.',
    hint: AS_PICTURE,
    begins: [
      [0, 'II*\0'],
      [0, 'MM\0*'],
      [0, 'II+\0'],
      [0, 'MM\0+'],
    ],
  },
  { found: 'bmp', message: 'This is a BMP, which is larger than it need be.', hint: AS_PICTURE, begins: [[0, 'BM']] },
  {
    found: 'ico',
    message: 'This is an icon of Windows.',
    hint: AS_PICTURE,
    begins: [
      [0, '\0\0\x01\0'],
      [0, '\0\0\x02\0'],
    ],
  },
  { found: 'psd', message: 'This is a file of Photoshop.', hint: AS_PICTURE, begins: [[0, '8BPS']] },
  {
    found: 'jxl',
    message: 'This is a JPEG XL, which not every browser shows.',
    hint: AS_PICTURE,
    begins: [
      [0, '\xff\x0a'],
      [0, '\0\0\0\x0cJXL '],
    ],
  },
  {
    found: 'jp2',
    message: 'This is a JPEG 2000, which browsers don’t show.',
    hint: AS_PICTURE,
    begins: [
      [0, '\0\0\0\x0cjP  '],
      [0, '\xff\x4f\xff\x51'],
    ],
  },
  { found: 'wav', message: 'This is a WAV.', hint: AS_SOUND, begins: [[8, 'WAVE']] },
  { found: 'avi', message: 'This is an AVI, which browsers don’t play.', hint: AS_FILM, begins: [[8, 'AVI ']] },
  { found: 'flac', message: 'This is a FLAC.', hint: AS_SOUND, begins: [[0, 'fLaC']] },
  {
    found: 'ogg',
    message: 'This is an Ogg, which not every browser plays.',
    hint: `${AS_SOUND.slice(0, -1)}, a film to WebM.`,
    begins: [[0, 'OggS']],
  },
  { found: 'flv', message: 'This is a film of Flash.', hint: AS_FILM, begins: [[0, 'FLV\x01']] },
  {
    found: 'ole',
    message: 'This is a document of an old Office.',
    hint: 'Export it as PDF.',
    begins: [[0, '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1']],
  },
]

/** Characters that are in no text, but in the beginning of every other file. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is asked for
const CONTROL = /[\0-\x08\x0e-\x1a\x1c-\x1f]/

/** Bytes that are looked at. */
export const BEGINNING = 264

/** Returns the fault of a file that begins as one of a known type which is not taken. */
export function foreignType(bytes: Buffer): MediaFault | undefined {
  const text = bytes.toString('latin1', 0, BEGINNING)
  // Some marks are words that a text may begin with.
  if (!CONTROL.test(text)) return undefined
  const known = FOREIGN.find(({ begins }) => begins.some(([offset, mark]) => text.startsWith(mark, offset)))
  return known && new MediaFault('type', known.found, known.message, known.hint)
}

/** Brands of ISO 14496-12 files by what they are; `ftyp` lists them. */
const HEIC: ReadonlySet<string> = new Set(['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'mif1', 'msf1'])
const AVIF: ReadonlySet<string> = new Set(['avif', 'avis'])
const MP4 = /^(?:isom|iso[2-9a-c]|mp4[12]|mp71|avc1|M4V |M4VP|MSNV|dash|f4v |mmp4)$/

/** Returns the type that the brands of a file name; a fault for those that are not taken. */
export function typeOfBrands(brands: readonly string[]): 'avif' | 'mp4' | MediaFault {
  const [major = ''] = brands
  if (brands.some((brand) => AVIF.has(brand))) return 'avif'
  if (brands.some((brand) => HEIC.has(brand))) {
    const hint = 'Export it as JPEG. An iPhone takes JPEG with Settings, Camera, Formats, Most Compatible.'
    return new MediaFault('type', 'heic', 'This is a HEIC, which most browsers don’t show.', hint)
  }
  if (major === 'qt  ')
    return new MediaFault('type', 'mov', 'This is a film of QuickTime, which not every browser plays.', AS_FILM)
  if (major.startsWith('M4A') || major.startsWith('M4B'))
    return new MediaFault('type', 'm4a', 'This is sound as MPEG 4.', AS_SOUND)
  if (brands.some((brand) => MP4.test(brand))) return 'mp4'
  return new MediaFault('type', 'unknown', 'This is a film or a picture of an unknown kind.', `${AS_FILM} ${AS_PICTURE}`)
}
