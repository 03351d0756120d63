import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { readData } from '#frontmatter/data.ts'
import { Fault, placeOf } from '#frontmatter/fault.ts'
import type { Language } from '#frontmatter/languages.ts'
import { type TemplateFile, templateFiles } from '#lib/files/templates.ts'
import type { Json } from '#lib/json.ts'
import { once } from '#lib/once.ts'
import { TemplateFailure } from './template-failure.ts'

const LANGUAGE_OF: Readonly<Record<string, Language>> = { yaml: 'yaml', yml: 'yaml', json: 'json', toml: 'toml' }

/** A folder of data: values of files, and further folders, by their names without ending. Each file is read when it is asked for. */
type Folder = { [name: string]: unknown }

/**
 * The files of a folder that templates get as data. A file and a folder of one name, or two files with different endings: the first
 * in the order of names has it.
 */
export class DataFiles {
  /** The files. */
  readonly files: readonly TemplateFile[]
  /** The data: getters of each file throw TemplateFailure where it can't be read. */
  readonly values: object
  readonly #root: string

  /** `root` is the site's, for paths in messages. */
  constructor(folder: string | undefined, root: string) {
    this.#root = root
    const files = templateFiles(folder === undefined ? [] : [folder]).filter(({ name }) => languageOf(name) !== undefined)
    this.files = files.sort((a, b) => (a.name < b.name ? -1 : 1))
    this.values = this.#tree()
  }

  /** The reasons why files can't be read. */
  faults(): TemplateFailure[] {
    return this.files.flatMap((file) => {
      try {
        this.#read(file)
        return []
      } catch (error) {
        if (!(error instanceof TemplateFailure)) throw error
        return error
      }
    })
  }

  #tree(): Folder {
    const top: Folder = Object.create(null)
    for (const file of this.files) {
      const names = file.name.replace(/\.[^./]+$/, '').split('/')
      const last = names.pop() ?? ''
      const folder = names.reduce<Folder | undefined>((folder, name) => folder && folderIn(folder, name), top)
      if (!folder || last in folder) continue
      Object.defineProperty(folder, last, { enumerable: true, get: once(() => this.#read(file)) })
    }
    return top
  }

  #read(file: TemplateFile): Json {
    const text = readFileSync(file.file, 'utf8').replace(/^\ufeff/, '')
    try {
      return readData(text, languageOf(file.name) ?? 'yaml')
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      const at = { file: relative(this.#root, file.file), ...placeOf(text, error.offset) }
      throw new TemplateFailure(error.message, at, error.hint)
    }
  }
}

function languageOf(name: string): Language | undefined {
  return LANGUAGE_OF[name.slice(name.lastIndexOf('.') + 1).toLowerCase()]
}

/** The folder of a name in another; undefined where a file has that name. */
function folderIn(folder: Folder, name: string): Folder | undefined {
  const isFile = Object.getOwnPropertyDescriptor(folder, name)?.get !== undefined
  if (isFile) return undefined
  const known = (folder[name] as Folder | undefined) ?? Object.create(null)
  folder[name] = known
  return known
}
