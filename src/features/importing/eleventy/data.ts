import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Fields } from '#lib/json.ts'
import { dataOfFile, isFile } from '../folder.ts'
import type { ImportProblem } from '../item.ts'

/** A value in a program's code that plainly keeps files from the public. */
const HIDES =
  /\b(?:(?:draft|eleventyExcludeFromCollections|private)["']?\s*:\s*true|(?:published|publish|permalink)["']?\s*:\s*false|eleventyComputed)\b/
/** A permalink that a program makes, which may be `false`. */
const MAKES_PERMALINK = /\bpermalink["']?\s*(?:\(|[:=](?!\s*["'`][^"'`\n{]*["'`]))/
/** Names of data that are in most texts, and keep nobody from reading one. */
const NEUTRAL: ReadonlySet<string> = new Set([
  ...['title', 'date', 'tags', 'layout', 'permalink', 'description', 'slug', 'lang', 'locale', 'author', 'image', 'summary'],
])
const GLOBAL = ['js', 'cjs', 'mjs', 'ts', 'json'].map((ending) => `_data/eleventyComputed.${ending}`)
const PROGRAMS = ['11tydata.js', '11tydata.cjs', '11tydata.mjs', '11tydata.ts']
const MOST_CODE = 256 * 1024

/** The data that files of a folder, and those above it, give to the texts in it. */
export interface FolderData {
  readonly values: Readonly<Fields>
  /** Programs, which are not run, that give data as well. */
  readonly programs: readonly string[]
  /** True where one of these seems to hide texts. */
  readonly hides: boolean
}

const NOTHING: FolderData = { values: {}, programs: [], hides: false }

/** The data files of a site of Eleventy. Programs are read as texts, and never run. */
export class DirectoryData {
  readonly #root: string
  readonly #folders = new Map<string, Promise<FolderData>>()
  readonly problems: ImportProblem[] = []
  #global: Promise<ReadonlySet<string>> | undefined

  constructor(root: string) {
    this.#root = root
  }

  /** The data of the file at a path, by its name and by its folders; the nearest wins. */
  async of(path: string): Promise<FolderData> {
    const folders = path.split('/').slice(0, -1)
    const above = await this.#ofFolder(folders)
    return merged(above, await this.#read(path.replace(/\.\w+$/, '')))
  }

  /** Returns whether data that all texts get may hide one with these data: where it may hide some, and reads a value of this one. */
  async mayHide(data: Readonly<Fields>): Promise<boolean> {
    this.#global ??= this.#readGlobal()
    const words = await this.#global
    return Object.keys(data).some((key) => words.has(key) && !NEUTRAL.has(key))
  }

  async #readGlobal(): Promise<ReadonlySet<string>> {
    const words = new Set<string>()
    for (const path of GLOBAL) {
      const code = await readFile(join(this.#root, path), 'utf8').catch(() => '')
      if (seemsToHide(code)) for (const [word] of code.slice(0, MOST_CODE).matchAll(/[a-z_]\w*/gi)) words.add(word)
    }
    return words
  }

  #ofFolder(folders: readonly string[]): Promise<FolderData> {
    const name = folders.at(-1)
    if (name === undefined) return Promise.resolve(NOTHING)
    const folder = folders.join('/')
    const found =
      this.#folders.get(folder) ??
      this.#ofFolder(folders.slice(0, -1)).then(async (above) => merged(above, await this.#read(`${folder}/${name}`)))
    this.#folders.set(folder, found)
    return found
  }

  async #read(stem: string): Promise<FolderData> {
    const values: Fields = {}
    for (const ending of ['json', '11tydata.json']) {
      const found = await dataOfFile(join(this.#root, `${stem}.${ending}`), `${stem}.${ending}`)
      if (found && 'problem' in found) this.problems.push(found.problem as ImportProblem)
      else Object.assign(values, found)
    }
    const programs: string[] = []
    let hides = false
    for (const path of PROGRAMS.map((ending) => `${stem}.${ending}`)) {
      if (!(await isFile(join(this.#root, path)))) continue
      programs.push(path)
      const code = await readFile(join(this.#root, path), 'utf8')
      hides ||= seemsToHide(code)
    }
    return { values, programs, hides }
  }
}

function seemsToHide(code: string): boolean {
  return code.length > MOST_CODE || HIDES.test(code) || (MAKES_PERMALINK.test(code) && /\bfalse\b/.test(code))
}

function merged(above: FolderData, own: FolderData): FolderData {
  const values = { ...above.values, ...own.values }
  return { values, programs: [...above.programs, ...own.programs], hides: above.hides || own.hides }
}
