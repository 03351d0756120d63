import { templateFiles } from '#lib/files/templates.ts'
import { shippedTemplates } from '#lib/package.ts'

/** Folders of templates that a site may have its own of; the others are no templates of pages. */
const AREA = /^(?:site|shortcodes|mail|admin|auth)\/(?!search\/)/

/** Returns the folder of the templates that ship, absolute. */
export function shippedFolder(): string {
  return shippedTemplates()
}

/** Returns the files that a site may have its own of, from that folder on with `/`, by name. */
export function shippedFiles(): string[] {
  return templateFiles([shippedFolder()])
    .map(({ name }) => name)
    .filter((name) => AREA.test(name))
    .sort()
}

/** Returns the shortest names of those files. */
export function shippedNames(): string[] {
  return shippedFiles().map((name) => name.replace(/^site\//, '').replace(/\.liquid$/, ''))
}

/** Returns the file that a name means: `site/` and the ending may be left out. */
export function templateNamed(typed: string, names: readonly string[]): string | undefined {
  const name = typed.replace(/^templates\//, '')
  const wanted = [name, `${name}.liquid`, `site/${name}`, `site/${name}.liquid`]
  return wanted.find((one) => names.includes(one))
}
