import type { SiteFiles } from '#core/files/site-files.ts'
import { idToPath, type Key, keyText } from '#core/key.ts'
import { answerTo, asking, foldersOf, keysOfFile, type LinkPlace, type Question } from '#core/links/resolve.ts'
import { mediaAt, mediaPath, mediaUrl } from '#core/media/media.ts'
import { pageHref } from '#core/page-address.ts'
import type { Store } from '#core/store.ts'
import { Slices } from '#lib/concurrency/slices.ts'
import type { Entry } from '../outline/entry.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import { pageAt } from '../outline/targets.ts'
import { PICTURE, type SitePictures } from '../pictures/site-pictures.ts'
import { addressOfFile } from './addresses.ts'

/** Questions about media files begin so, before the path. */
const MEDIA = 'media '
/** Questions about records whose texts are taken in begin so, before their keys. */
const EMBED = 'embed '

/** The questions about files that a page is made with, each with the address it was answered, or null. */
export type Asked = Map<Question, string | null>

/**
 * Returns the base of the links of a record's page: `base` stands before addresses of the site. What is asked is added to
 * `asked`.
 */
export function placeOf(entry: Entry, snapshot: SiteSnapshot, base: string, asked?: Asked): LinkPlace {
  const { key, folder, url } = entry
  return { base, page: url ?? '/', folders: foldersOf(key.kind, idToPath(key.id)), folder, ...questionsTo(snapshot, asked) }
}

/** As `placeOf`, of a page that is of no record: its links are from the top of the content. */
export function placeAtTop(page: string, snapshot: SiteSnapshot, asked?: Asked): LinkPlace {
  return { base: snapshot.base, page, folders: foldersOf('pages', 'index'), folder: '', ...questionsTo(snapshot, asked) }
}

function questionsTo(snapshot: SiteSnapshot, asked: Asked | undefined) {
  return asking((question) => {
    const answer = answerOf(question, snapshot)
    asked?.set(question, answer ?? null)
    return answer
  })
}

/** The answer of a snapshot to a question of one of its pages. */
function answerOf(question: Question, snapshot: SiteSnapshot): string | undefined {
  return answerTo(question, {
    pageOf: (path) => pageOf(path, snapshot),
    pageAt: (path) => pageAt(path, snapshot.outline, snapshot.urls),
    pageNamed: (name) => snapshot.outline.names.find(name)?.entry.url ?? undefined,
    fileAt: (path) => addressOfFile(path, snapshot),
  })
}

/** Adds the question about the text of a record, which a page takes in. */
export function askText(entry: Entry, asked: Asked | undefined): void {
  asked?.set(EMBED + keyText(entry.key), textPrint(entry))
}

/** The records whose texts a page takes in, of those that the site has: by what it asked. */
export function textsIn(asked: Iterable<readonly [question: string, answer: string | null]>, snapshot: SiteSnapshot): Entry[] {
  return [...asked].flatMap(([question]) =>
    question.startsWith(EMBED) ? (snapshot.entries.get(question.slice(EMBED.length)) ?? []) : [],
  )
}

/** A text that is another where the text of a record is, or the way in which it is read. */
function textPrint({ version, type: { html, typographer, wikilinks } }: Entry): string {
  return JSON.stringify([version, html, typographer, wikilinks])
}

/** The record of a key, as a text, where it has a page. */
function shownAt(key: string, { entries, outline }: SiteSnapshot): Entry | undefined {
  const entry = entries.get(key)
  return entry?.url && outline.records.get(entry.url) === entry ? entry : undefined
}

/** The answer of a snapshot to a question that needs nothing else. */
function ofSnapshot(question: Question, snapshot: SiteSnapshot): string | undefined {
  if (!question.startsWith(EMBED)) return answerOf(question, snapshot)
  const entry = shownAt(question.slice(EMBED.length), snapshot)
  return entry && textPrint(entry)
}

/** The store and the files that pages ask. */
export interface AskedPlace {
  readonly store: Store
  readonly siteFiles: Pick<SiteFiles, 'find'>
  readonly pictures: Pick<SitePictures, 'of'>
}

/** The answers that pages are made with: those that a snapshot has, and those that the store and its files know. */
export class Answers {
  readonly #place: AskedPlace

  constructor(place: AskedPlace) {
    this.#place = place
  }

  /** The address of the media file at a path below media/, where it has a document or lies among the site's files. */
  async mediaAt(path: string, asked?: Asked): Promise<string | undefined> {
    const key = mediaAt(path)
    const address = key && (await this.#isThere(key)) ? mediaUrl(key.id) : undefined
    asked?.set(MEDIA + path, address ?? null)
    return address
  }

  async #isThere(key: Key): Promise<boolean> {
    const { store, siteFiles } = this.#place
    return (await store.head(key)) !== undefined || (await siteFiles.find('content', `media/${mediaPath(key.id)}`)) !== undefined
  }

  /** As `areStill`, of the questions about pictures alone. */
  picturesAreStill(asked: Asked, snapshot: SiteSnapshot): Promise<boolean> {
    return this.areStill([...asked].filter(isOfPicture), snapshot)
  }

  /** The answer to a question that needs no waiting; undefined for one that does. */
  atOnce(question: string, snapshot: SiteSnapshot): string | null | undefined {
    return isOfFiles(question) ? undefined : (ofSnapshot(question, snapshot) ?? null)
  }

  /** Returns whether questions would be answered as they were. */
  async areStill(asked: Iterable<readonly [question: string, answer: string | null]>, snapshot: SiteSnapshot): Promise<boolean> {
    const slices = new Slices()
    for (const [question, answer] of asked) {
      if (slices.isOver) await slices.pause()
      if (((await this.#now(question, snapshot)) ?? null) !== answer) return false
    }
    return true
  }

  async #now(question: Question, snapshot: SiteSnapshot): Promise<string | undefined> {
    if (question.startsWith(MEDIA)) return this.mediaAt(question.slice(MEDIA.length))
    if (question.startsWith(PICTURE)) return (await this.#place.pictures.of(question.slice(PICTURE.length), snapshot))?.print
    return ofSnapshot(question, snapshot)
  }
}

/** Returns whether a question is about what the store or the disk has. */
export function isOfFiles(question: Question): boolean {
  return question.startsWith(MEDIA) || question.startsWith(PICTURE)
}

/** Returns whether a question is about a picture. */
export function isOfPicture([question]: readonly [question: Question, answer: string | null]): boolean {
  return question.startsWith(PICTURE)
}

/** The page of the record in a file, by the file's path below content/ without extension. */
function pageOf(path: string, snapshot: SiteSnapshot): string | undefined {
  const [inKind, asPage] = keysOfFile(path)
  const entry = snapshot.entries.get(inKind) ?? snapshot.entries.get(asPage)
  return entry?.url && snapshot.outline.records.get(entry.url) === entry ? pageHref(entry.url, snapshot.urls) : undefined
}
