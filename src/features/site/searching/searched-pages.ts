import { type Shard, WordShards } from './word-shards.ts'

/** A page as the index has it, and what tells that it is so still. */
export interface SearchedPage {
  readonly id: number
  /** Of what its record is made of. */
  readonly print: string
  /** Questions that the record asked the site, with the answers. */
  readonly asked: readonly (readonly [question: string, answer: string | null])[]
  /** See `PageWords`. */
  readonly words: string
}

/** A page that was read: its words, what it asked, and the file that a browser shows it by. */
export interface ReadPage {
  readonly words: string
  readonly asked: SearchedPage['asked']
  readonly body: Buffer
}

/** The pages of an index by the keys of their records, and the shards of their words. */
export class SearchedPages {
  readonly #pages = new Map<string, SearchedPage>()
  readonly #words = new WordShards()

  get all(): ReadonlyMap<string, SearchedPage> {
    return this.#pages
  }

  get(key: string): SearchedPage | undefined {
    return this.#pages.get(key)
  }

  /** Takes a page in place of the one with this key; undefined for none. A number is free before another page gets it. */
  put(key: string, page: SearchedPage | undefined): void {
    const before = this.#pages.get(key)
    const isSame = before?.id === page?.id
    if (before && !isSame) this.#words.change(before.id, before.words, '')
    if (page) this.#words.change(page.id, before && isSame ? before.words : '', page.words)
    if (page) this.#pages.set(key, page)
    else this.#pages.delete(key)
  }

  /** The file that a browser begins with, and the shards that it names. */
  async index(): Promise<{ entry: Buffer; shards: readonly Shard[] }> {
    const shards = await this.#words.shards()
    const words = shards.flatMap(({ first, name }, n) => [beginningAfter(shards[n - 1]?.last ?? '', first), name])
    return { entry: Buffer.from(JSON.stringify({ pages: this.#pages.size, words })), shards }
  }
}

/** The shortest beginning of a word that comes after another word, and so tells their files apart. */
function beginningAfter(last: string, first: string): string {
  let end = 1
  while (end < first.length && first.slice(0, end) <= last) end++
  return first.slice(0, end)
}
