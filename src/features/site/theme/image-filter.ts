import { leadsElsewhere } from '#core/links/resolve.ts'
import { mediaAt, mediaUrl } from '#core/media/media.ts'
import { PICTURE_FORMATS } from '#media/pictures/request.ts'
import type { TemplateSpot } from '../pictures/page-pictures.ts'
import { type PictureOptions, pictureHtml } from '../pictures/picture-html.ts'
import type { PagePlace } from './page-place.ts'

/** The most pixels that a template may ask for. */
const MOST_PIXELS = 10_000

/**
 * Returns a picture as a template asks for it; '' where it is not loaded yet, or the site has none at its address, which is noted for
 * the template's place. Throws for options that there are not.
 */
export function imageOf(href: string, options: Readonly<Record<string, unknown>>, place: PagePlace, spot: TemplateSpot): string {
  const asked = optionsOf(options)
  if (href === '') return ''
  const { base, pictures } = place
  const candidates = href.startsWith('/') || leadsElsewhere(href) || !pictures ? [href] : namedBy(href, place)
  for (const address of candidates) {
    const picture = pictures?.at(address)
    if (picture) return pictureHtml(address, picture, asked, (path) => base + path)
    if (picture === undefined) return pictures?.isWaiting ? '' : pictureHtml(address, undefined, asked, (path) => path)
  }
  pictures?.miss(href, spot)
  return ''
}

/** The addresses that a path in the front matter may mean: of a media file, and of one beside the record. */
function namedBy(path: string, { base, fileHref }: PagePlace): string[] {
  const key = mediaAt(path)
  const beside = fileHref(path.includes('%') ? path : encodeURI(path))
  return [...(key ? [base + mediaUrl(key.id)] : []), ...(beside === undefined ? [] : [beside])]
}

const READ = {
  width: pixelsOf,
  height: pixelsOf,
  sizes: textOf,
  class: textOf,
  alt: textOf,
  format: (name: string, value: unknown) => oneOf(name, value, PICTURE_FORMATS),
  loading: (name: string, value: unknown) => oneOf(name, value, ['lazy', 'eager'] as const),
} satisfies { [Name in keyof PictureOptions]-?: (name: string, value: unknown) => PictureOptions[Name] | undefined }

/** An option that is nothing counts as not given: it may be a field that a record has not. */
function optionsOf(options: Readonly<Record<string, unknown>>): PictureOptions {
  const read: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(READ, name)) throw new Error(`"image" knows no "${name}": there are ${Object.keys(READ).join(', ')}`)
    if (value !== undefined && value !== null) read[name] = READ[name as keyof typeof READ](name, value)
  }
  return read
}

function pixelsOf(name: string, value: unknown): number {
  const number = Number(value)
  if (Number.isInteger(number) && number >= 1 && number <= MOST_PIXELS) return number
  throw new Error(`the ${name} of "image" is a number of pixels, 1 to ${MOST_PIXELS}`)
}

function textOf(_: string, value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

function oneOf<T extends string>(name: string, value: unknown, all: readonly T[]): T {
  const found = all.find((one) => one === value)
  if (found === undefined) throw new Error(`the ${name} of "image" is one of ${all.join(', ')}`)
  return found
}
