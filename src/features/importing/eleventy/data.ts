import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { draftWords } from '#frontmatter/other-tools.ts'
import type { Fields } from '#lib/json.ts'
import { dataOfFile } from '../folder.ts'
import type { ImportProblem } from '../item.ts'

/** A word in a program's code that may keep files from the public: one that hides, but for a plain no, or a no that hides. */
const HIDES =
  /\b(?:(?:draft|eleventyExcludeFromCollections|private)\b(?!["']?\s{0,20}[:=]\s{0,20}(?:false|!1)\b)|(?:published|publish|permalink)["']?\s{0,20}[:=]\s{0,20}(?:false|!1)\b|eleventyComputed\b)/
/** A permalink that a program makes, which may be `false`. */
const MAKES_PERMALINK = /\bpermalink["']?\s*(?:\(|[:=](?!\s*["'`][^"'`\n{]*["'`]))/
/** Names of data that are in most texts, and keep nobody from reading one. */
const NEUTRAL: ReadonlySet<string> = new Set([
  ...['title', 'date', 'tags', 'layout', 'permalink', 'description', 'slug', 'lang', 'locale', 'author', 'image', 'summary'],
])
const GLOBAL = ['eleventyComputed', 'permalink'].flatMap((name) =>
  ['js', 'cjs', 'mjs', 'ts', 'json'].map((ending) => `${name}.${ending}`),
)
/** The word before the ending of a file of data; where the configuration has others, any. */
const SUFFIX = '\\.11tydata'
const ANY_SUFFIX = '[.-]?[a-z][\\w-]*'
/** Parts of a configuration that leave texts out by their data, and the names of these in it. */
const LEAVES_OUT = /\baddPreprocessor\b|\beleventyComputed\b|\baddGlobalData\(\s{0,20}["'`]permalink\b/
/** Matches the name that a preprocessor has for the data. */
const NAMED =
  /\baddPreprocessor\([^()]{0,300},\s{0,20}(?:async\b\s{0,20})?(?:function\b[^()]{0,60})?\(?\s{0,20}([a-z_]\w{0,60})\s{0,20}(?:[,)]|=>)/gi
/** Matches what a program that leaves texts out takes their data apart into: `({ draft, private: isPrivate }) =>`. */
const TAKEN_APART = /\{([^{}]{1,500})\}(?=[^{}();]{0,100}\)|\s{0,20}=[^=])/g
const MOST_CODE = 256 * 1024

/** The data that files of a folder, and those above it, give to the texts in it. */
export interface FolderData {
  readonly values: Readonly<Fields>
  /** Programs, which are not run, that give data as well. */
  readonly programs: readonly string[]
  /** True where one of these seems to hide texts, or a file can't be read. */
  readonly hides: boolean
}

const NOTHING: FolderData = { values: {}, programs: [], hides: false }

/** The data files of a site of Eleventy. Programs are read as texts, and never run. */
export class DirectoryData {
  readonly #root: string
  readonly #input: string
  readonly #folder: string
  readonly #configs: readonly string[]
  /** Match what comes after the stem in names of files of data, and of programs that give some or forms that are not read. */
  readonly #isData: RegExp
  readonly #isProgram: RegExp
  readonly #folders = new Map<string, Promise<FolderData>>()
  readonly #names = new Map<string, Promise<readonly string[]>>()
  /** The stem that files of data of any folder may have, where the configuration says one. */
  readonly #every: string | undefined
  readonly problems: ImportProblem[] = []
  #global: Promise<ReadonlySet<string>> | undefined

  /** `root` is the folder of the texts, `input` what the configuration calls it, and `configs` the code of that. */
  constructor(root: string, input: string, configs: readonly string[]) {
    this.#root = root
    this.#input = input
    this.#configs = configs
    this.#folder = configs.map(dataFolderIn).find((folder) => folder !== undefined) ?? '_data'
    const suffix = configs.some((code) => code.includes('setDataFileSuffixes')) ? ANY_SUFFIX : SUFFIX
    this.#isData = new RegExp(`^(?:${suffix})?\\.(?:json|ya?ml|toml)$`, 'i')
    this.#isProgram = new RegExp(`^${suffix}\\.(?:js|cjs|mjs|ts)$|^${SUFFIX}\\.\\w+$`, 'i')
    this.#every = configs.map(baseNameIn).find((name) => name !== undefined)
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
    const open = new Set(draftWords(data).flatMap(({ key, drafts }) => (drafts ? [] : [key])))
    return Object.keys(data).some((key) => words.has(key) && !NEUTRAL.has(key) && !open.has(key))
  }

  async #readGlobal(): Promise<ReadonlySet<string>> {
    const words = new Set<string>()
    for (const code of this.#configs.filter((one) => LEAVES_OUT.test(one) && /\bfalse\b/.test(one)))
      for (const word of wordsOfData(code.slice(0, MOST_CODE))) words.add(word)
    for (const name of GLOBAL) {
      const code = await readFile(join(this.#root, this.#folder, name), 'utf8').catch(() => '')
      const mayHide = seemsToHide(code) || (name.startsWith('permalink.') && /\bfalse\b/.test(code))
      if (mayHide) for (const [word] of code.slice(0, MOST_CODE).matchAll(/[a-z_]\w*/gi)) words.add(word)
    }
    return words
  }

  #ofFolder(folders: readonly string[]): Promise<FolderData> {
    const name = folders.at(-1)
    const folder = folders.join('/')
    const found = this.#folders.get(folder) ?? (name === undefined ? this.#ofInput() : this.#below(folders, `${folder}/${name}`))
    this.#folders.set(folder, found)
    return found
  }

  /** The folder of all texts has data by its own name. */
  async #ofInput(): Promise<FolderData> {
    const own = this.#input === '' ? NOTHING : await this.#read(basename(this.#input))
    return this.#every === undefined ? own : merged(own, await this.#read(this.#every))
  }

  async #below(folders: readonly string[], stem: string): Promise<FolderData> {
    const above = merged(await this.#ofFolder(folders.slice(0, -1)), await this.#read(stem))
    return this.#every === undefined ? above : merged(above, await this.#read(`${folders.join('/')}/${this.#every}`))
  }

  async #read(stem: string): Promise<FolderData> {
    const values: Fields = {}
    const programs: string[] = []
    let hides = false
    for (const { path, isProgram } of await this.#filesOf(stem)) {
      if (isProgram) {
        programs.push(path)
        hides ||= seemsToHide(await readFile(join(this.#root, path), 'utf8'))
        continue
      }
      const found = await dataOfFile(join(this.#root, path), path)
      if (found && 'problem' in found) {
        this.problems.push(found.problem as ImportProblem)
        hides = true
      } else Object.assign(values, found)
    }
    return { values, programs, hides }
  }

  /** The files of data of a stem, those in JSON and those with shorter names first: the others win over them. */
  async #filesOf(stem: string): Promise<{ readonly path: string; readonly isProgram: boolean }[]> {
    const [folder, name] = [dirname(stem), basename(stem)]
    const found = (await this.#namesIn(folder)).flatMap((file) => {
      const ending = file.startsWith(name) ? file.slice(name.length) : ''
      const [isData, isProgram] = [this.#isData.test(ending), this.#isProgram.test(ending)]
      return isData || isProgram ? [{ path: join(folder, file), isProgram: !isData }] : []
    })
    const isJson = ({ path }: { readonly path: string }) => Number(path.endsWith('.json'))
    return found.sort((a, b) => isJson(b) - isJson(a) || a.path.length - b.path.length)
  }

  #namesIn(folder: string): Promise<readonly string[]> {
    const found =
      this.#names.get(folder) ??
      readdir(join(this.#root, folder)).then(
        (names) => names.sort(),
        () => [],
      )
    this.#names.set(folder, found)
    return found
  }
}

/** The folder of the data that all texts get, below that of the texts, where a configuration says it plainly. */
function dataFolderIn(code: string): string | undefined {
  const said = /\bdata["']?\s{0,20}:\s{0,20}["'`]([\w./-]{1,200})["'`]|setDataDirectory\(\s{0,20}["'`]([\w./-]{1,200})["'`]/.exec(
    code,
  )
  return said?.[1] ?? said?.[2]
}

/** The stem of the files of data of any folder, where a configuration says one plainly. */
function baseNameIn(code: string): string | undefined {
  return /\bsetDataFileBaseName\(\s{0,20}["'`]([\w.-]{1,200})["'`]/.exec(code)?.[1]
}

/** Returns the names of data that the code of a configuration reads, as `data.draft` or taken apart. */
function wordsOfData(code: string): string[] {
  const names = ['data', ...[...code.matchAll(NAMED)].map(([, name = '']) => name)]
  const named = [...new Set(names)].flatMap((name) => [...code.matchAll(membersOf(name))].map(([, word = '']) => word))
  const apart = [...code.matchAll(TAKEN_APART)].flatMap(([, list = '']) =>
    list.split(',').map((one) => /^\s*["'`]?([a-z_]\w*)/i.exec(one)?.[1] ?? ''),
  )
  return [...named, ...apart].filter((word) => word !== '')
}

function membersOf(name: string): RegExp {
  return new RegExp(`\\b${name}\\s{0,20}(?:\\?\\.|\\.|(?:\\?\\.)?\\[\\s{0,20}["'\`])\\s{0,20}([a-z_]\\w*)`, 'gi')
}

function seemsToHide(code: string): boolean {
  return code.length > MOST_CODE || HIDES.test(code) || (MAKES_PERMALINK.test(code) && /\bfalse\b/.test(code))
}

function merged(above: FolderData, own: FolderData): FolderData {
  const values = { ...above.values, ...own.values }
  return { values, programs: [...above.programs, ...own.programs], hides: above.hides || own.hides }
}
