import { endingOf, FORMAT_ENDINGS } from '#core/media/attachments.ts'
import { MEDIA_TYPES } from '#media/types.ts'

/** The types of files by the endings of their names; of any other nothing is known, and browsers only save it. */
const TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...Object.fromEntries<string>(
      Object.values(MEDIA_TYPES).flatMap(({ mime, endings }) => endings.map((ending) => [ending, mime])),
    ),
    ...{ svg: 'image/svg+xml', ico: 'image/x-icon', bmp: 'image/bmp', jxl: 'image/jxl' },
    ...{ ogv: 'video/ogg', vtt: 'text/vtt; charset=utf-8' },
    ...{ m4a: 'audio/mp4', ogg: 'audio/ogg', opus: 'audio/ogg', wav: 'audio/wav', flac: 'audio/flac' },
    ...{ woff2: 'font/woff2', woff: 'font/woff', ttf: 'font/ttf', otf: 'font/otf' },
    ...{ css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8', mjs: 'text/javascript; charset=utf-8' },
    ...{ wasm: 'application/wasm', map: 'application/json; charset=utf-8', json: 'application/json; charset=utf-8' },
    ...{ webmanifest: 'application/manifest+json; charset=utf-8', zip: 'application/zip', md: 'text/plain; charset=utf-8' },
    ...{ html: 'text/html; charset=utf-8', htm: 'text/html; charset=utf-8', xhtml: 'application/xhtml+xml' },
    ...{ xml: 'application/xml', xsl: 'application/xml', rss: 'application/rss+xml', atom: 'application/atom+xml' },
  }),
)

/** The content security policy of a page that a site holds as a file: what it runs can do nothing on the site's behalf. */
const PAGE_POLICY = 'sandbox allow-scripts allow-forms allow-popups'
/** That of any other file in which a browser might find something to run. */
const XML_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; sandbox"

/** Returns the type with which a file is answered. */
export function contentTypeOf(path: string): string {
  return TYPES.get(endingOf(path)) ?? 'application/octet-stream'
}

/** Returns the content security policy with which a file is answered; undefined where a browser runs nothing in it. */
export function policyOf(path: string): string | undefined {
  const type = contentTypeOf(path)
  if (type.startsWith('text/html') || type.startsWith('application/xhtml')) return PAGE_POLICY
  return /[/+]xml\b/.test(type) ? XML_POLICY : undefined
}

/** Returns the endings of files that are served beside records, by the formats of the configuration: svg is always among them. */
export function endingsOf(formats: readonly string[]): ReadonlySet<string> {
  return new Set([...formats, 'svg'].flatMap((format) => FORMAT_ENDINGS[format] ?? []))
}
