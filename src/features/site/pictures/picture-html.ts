import { type PictureTag, pictureTags } from '#core/links/html-tags.ts'
import type { Picture, PictureForm, PictureShape } from '../../picture.ts'
import { escapeXml } from '../feeds/xml.ts'

/** The pictures of a page; see `PagePictures`. */
export interface KnownPictures {
  at(href: string): Picture | null | undefined
  hrefOf(address: string): string
}

/** The options by which a template shows a picture. */
export interface PictureOptions {
  readonly width?: number
  readonly height?: number
  readonly sizes?: string
  readonly class?: string
  readonly alt?: string
  readonly format?: string
  readonly loading?: 'lazy' | 'eager'
}

/** Attributes of a picture that is fetched when it comes into sight, and of the first of a page. */
const LAZY = ' loading="lazy" decoding="async"'
const FIRST = ' fetchpriority="high" decoding="async"'

/** The width of a text in pixels, which pictures in it are at most: that of most themes, and of the starter's. */
const TEXT_WIDTH = 768
const TEXT_SIZES = '(max-width: 48rem) 100vw, 48rem'
/** Pixels of a screen for one of CSS, that pictures are made for at most. */
const DENSEST = 2
/** The most pictures of one text that are completed. */
const MOST = 1_000

const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&#39;': "'", '&quot;': '"' }

/** Returns a page whose first picture, of those that Quire made, is fetched at once. Linear. */
export function withFirstPicture(html: string): string {
  let looked = 0
  for (let at = html.indexOf(LAZY); at >= 0; at = html.indexOf(LAZY, at + 1)) {
    const start = html.slice(looked, at).lastIndexOf('<')
    // A text may show the same signs, as code does.
    if (start >= 0 && /^<img\s[^>]*$/.test(html.slice(looked + start, at)))
      return html.slice(0, at) + FIRST + html.slice(at + LAZY.length)
    looked = at
  }
  return html
}

/**
 * Returns HTML with the pictures that wait to be seen (`loading="lazy"`) completed: with their sizes and smaller forms, and with what
 * is said of them where the text says nothing. What stands there already stays.
 */
export function withPictures(html: string, pictures: KnownPictures): string {
  let [made, at] = ['', 0]
  for (const tag of pictureTags(html, MOST)) {
    const completed = completedTag(html, tag, pictures)
    if (completed === undefined) continue
    made += html.slice(at, tag.start) + completed
    at = tag.end
  }
  return made + html.slice(at)
}

/** Returns a picture as a template asks for it: `href` is its address on the page, `picture` undefined where it is elsewhere. */
export function pictureHtml(
  href: string,
  picture: Picture | undefined,
  options: PictureOptions,
  hrefOf: (address: string) => string,
): string {
  const shape = shapeOf(options)
  const forms = picture?.forms(shape, options.format) ?? []
  const size = shape && forms.length > 0 ? shape : sizeOf(options, picture)
  const fixed = options.width ?? (options.height === undefined ? undefined : size.width)
  const src = shape && picture ? nearest(picture.forms(shape, 'own'), shape.width) : undefined
  const attributes = {
    class: options.class,
    src: src ? hrefOf(src.address) : href,
    ...srcsetOf(forms, { fixed, natural: picture?.width ?? undefined, sizes: options.sizes }, hrefOf),
    ...size,
    alt: options.alt ?? picture?.alt ?? '',
  }
  return `<img${written(attributes)}${options.loading === 'eager' ? ' decoding="async"' : LAZY}>`
}

function completedTag(html: string, { attributes }: PictureTag, pictures: KnownPictures): string | undefined {
  const given = new Map(attributes.map(({ name, value = '' }) => [name.toLowerCase(), value]))
  if (given.get('loading') !== 'lazy') return undefined
  const src = given.get('src')?.replace(/&(?:amp|#39|quot);/g, (entity) => ENTITIES[entity] ?? entity)
  const picture = (src === undefined ? undefined : pictures.at(src)) ?? undefined
  const asked = { width: pixels(given.get('width')), height: pixels(given.get('height')) }
  const forms = picture?.forms() ?? []
  const place = { fixed: asked.width, natural: picture?.width ?? undefined, sizes: given.get('sizes') }
  const added = {
    ...(given.has('width') && given.has('height') ? {} : sizeOf(asked, picture)),
    ...(given.has('srcset') ? {} : srcsetOf(forms, place, (address) => pictures.hrefOf(address))),
    alt: picture?.alt ?? '',
  }
  const missing = Object.fromEntries(Object.entries(added).filter(([name]) => !given.has(name)))
  const decoding = given.has('decoding') ? '' : ' decoding="async"'
  const kept = attributes.map(
    ({ name, start, end }) => ` ${html.slice(start, end)}${name.toLowerCase() === 'loading' ? decoding : ''}`,
  )
  return kept.join('') + written(missing)
}

/** The width of the widest form that is worth its bytes comes last. */
function srcsetOf(
  forms: readonly PictureForm[],
  { fixed, natural, sizes }: { fixed?: number | undefined; natural?: number | undefined; sizes?: string | undefined },
  hrefOf: (address: string) => string,
): { srcset?: string; sizes?: string } {
  const most = (fixed ?? Number.POSITIVE_INFINITY) * DENSEST
  const enough = forms.findIndex(({ width }) => width >= most)
  const useful = enough < 0 ? forms : forms.slice(0, enough + 1)
  if (useful.length === 0) return {}
  const srcset = useful.map(({ address, width }) => `${hrefOf(address)} ${width}w`).join(', ')
  return { srcset, sizes: sizes ?? sizesOf(fixed ?? (natural !== undefined && natural < TEXT_WIDTH ? natural : undefined)) }
}

function sizesOf(width: number | undefined): string {
  return width === undefined ? TEXT_SIZES : `(max-width: ${width}px) 100vw, ${width}px`
}

function shapeOf({ width, height }: PictureOptions): PictureShape | undefined {
  return width === undefined || height === undefined ? undefined : { width, height }
}

/** The size that a picture is shown in, in its own shape: its own where nothing is asked for. */
function sizeOf(
  { width, height }: { readonly width?: number | undefined; readonly height?: number | undefined },
  picture: Picture | undefined,
): { width?: number; height?: number } {
  const [across, down] = [picture?.width, picture?.height]
  if (!across || !down) return { ...(width && { width }), ...(height && { height }) }
  if (width !== undefined) return { width, height: Math.max(1, Math.round((width * down) / across)) }
  if (height !== undefined) return { width: Math.max(1, Math.round((height * across) / down)), height }
  return { width: across, height: down }
}

function nearest(forms: readonly PictureForm[], width: number): PictureForm | undefined {
  return forms.find((form) => form.width >= width) ?? forms.at(-1)
}

/** A number of pixels that an attribute says; undefined for `50%`, and what is none. */
function pixels(value: string | undefined): number | undefined {
  return value !== undefined && /^[1-9]\d{0,4}$/.test(value) ? Number(value) : undefined
}

function written(attributes: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(attributes).filter(([, value]) => value !== undefined)
  return given.map(([name, value]) => ` ${name}="${escapeXml(String(value)).replaceAll("'", '&#39;')}"`).join('')
}
