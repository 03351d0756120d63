import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Word } from '#fulltext/word.ts'

/** The functions of a browser's modules that the tests call. */
export interface Browser {
  read(text: string, take: (word: Word, start: number, end: number) => void): void
  find(text: string): Promise<{ total: number; stems: Set<string>; pages: { id: string; score: number }[] }>
  shown(text: string): Promise<{ title: string; url: string; excerpt: string }[]>
  pieces(text: string, stems: Set<string>): { text: string; marked: boolean }[]
  /** The files that were fetched, and their bytes. */
  readonly fetched: Map<string, number>
}

/** The modules of a folder, as a browser has them that fetches what is beside them. */
export async function browserOf(folder: string): Promise<Browser> {
  // Node takes these files as what a browser takes them for only where it is told.
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const fetched = new Map<string, number>()
  const module = (name: string) => import(pathToFileURL(join(folder, name)).href)
  const [{ read }, { openSearch, pieces }] = await Promise.all(['words.js', 'search.js'].map(module))
  globalThis.fetch = async (url) => {
    const path = fileURLToPath(String(url))
    const body = readFileSync(path)
    fetched.set(path.slice(folder.length + 1), body.length)
    return new Response(body)
  }
  const opening = existsSync(join(folder, 'index.json')) ? openSearch() : undefined
  const find = async (text: string) => (await opening).find(text)
  const shown = async (text: string) => {
    const { pages, stems } = await find(text)
    return (await opening).show(pages.slice(0, 10), stems)
  }
  return { read, pieces, fetched, find, shown }
}
