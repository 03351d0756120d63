import { readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import type { Problem } from '#core/document.ts'
import { keyText } from '#core/key.ts'
import { type TemplateFile, templateFiles } from '#lib/files/templates.ts'
import { nearest } from '#lib/text/nearest.ts'
import type { Entry } from '../outline/entry.ts'
import { templateOf } from '../pages/plans.ts'
import type { Theme } from '../theme/theme.ts'

/** The locations of templates, the site's own and Quire's, and the names that types and records call some by. */
export interface TemplatePlaces {
  readonly root: string
  readonly own: string
  readonly builtIn: string
  readonly named: readonly string[]
}

/** Templates that Quire makes pages with, whatever the types name. */
const ROOTS = ['home', 'list', 'page', 'record', 'term', 'terms', 'search', '404']
/** A name that is longer is not shown whole. */
const MOST_SHOWN = 80
/** Folders beside `site/` that hold templates of something else. */
const OTHERS = ['mail', 'admin', 'auth']
const SILENT = /\{%-?\s*(comment|raw)\s*-?%\}[\s\S]*?\{%-?\s*end\1\s*-?%\}|\{%-?\s*#[\s\S]*?%\}/g
const NAMES = /\{%-?\s*(?:render|include|layout)\s+(["'])([^"'\n]+)\1/g
const QUOTED = /(["'])([^"'\n{}]+)\1/g

interface Source extends TemplateFile {
  readonly template: string
  readonly text: string
}

/** Templates that name another which is not there, and templates of the site that nothing uses. */
export function templateProblems(theme: Theme, { root, own, builtIn, named }: TemplatePlaces): Problem[] {
  const sources = theme.templates.map(sourceOf)
  const names = new Set(sources.map(({ template }) => template))
  const place = (file: string) => relative(root, file).split(sep).join('/')
  const missing = sources.flatMap((source) => missingIn(source, names, place(source.file)))
  const used = usedBy(sources, names, [...ROOTS, ...named])
  const idle = sources.filter(({ file, template }) => file.startsWith(own + sep) && !used.has(template))
  const hintOf = (template: string) =>
    template.includes('/')
      ? `Name it in a template ({% render '${template}' %}), or remove it.`
      : `Give a type "template: ${template}" in cms.config.yaml, or a record "template: ${template}", name it in another template, or remove it.`
  return [
    ...missing,
    ...idle.map(({ file, template }) => unused(place(file), hintOf(template))),
    ...strays(own, builtIn).map((file) => unused(place(file), 'Templates of pages are taken from the folder site/ beside it.')),
  ]
}

/** Records that name a template which is not there: one problem for each name, at the first of them. */
export function unknownTemplates(entries: Iterable<Entry>, theme: Theme): Problem[] {
  const hasTemplate = (name: string) => theme.has(name)
  const unknown = new Map<string, Entry[]>()
  for (const entry of entries) {
    const { template } = entry
    if (template === undefined || templateOf(entry, hasTemplate) === template) continue
    const some = unknown.get(template)
    if (some) some.push(entry)
    else unknown.set(template, [entry])
  }
  return [...unknown].map(([template, [first, ...others]]) => {
    const more = others.length > 0 ? ` So it is in ${others.length} more.` : ''
    const message = `There is no template "${shortened(template)}": the page is made with that of its type.${more}`
    const near = nearest(
      template,
      theme.templates.map(({ name }) => plainName(name)).filter((name) => !name.includes('/')),
    )
    const hint = near ? `Did you mean "${near}"?` : 'Put it into templates/site/, or take the line out.'
    return { file: first ? keyText(first.key) : '', message, hint, severity: 'warning' }
  })
}

/** The name of a template, not too long for a message. */
function shortened(name: string): string {
  return name.length > MOST_SHOWN ? `${name.slice(0, MOST_SHOWN)}…` : name
}

function sourceOf(file: TemplateFile): Source {
  const text = readFileSync(file.file, 'utf8').replace(SILENT, (silent) => silent.replace(/[^\n]/g, ' '))
  return { ...file, template: plainName(file.name), text }
}

function plainName(name: string): string {
  return name.replace(/\.liquid$/, '')
}

function missingIn({ text }: Source, names: ReadonlySet<string>, file: string): Problem[] {
  return [...text.matchAll(NAMES)].flatMap((match): Problem[] => {
    const name = plainName(match[2] ?? '')
    if (names.has(name)) return []
    const before = text.slice(0, match.index)
    const near = nearest(name, names)
    const hint = near ? `Did you mean '${near}'?` : `Put ${name}.liquid into templates/site/, or take it out.`
    const at = { line: before.split('\n').length, column: match.index - before.lastIndexOf('\n') }
    return [{ file, ...at, message: `There is no template "${name}".`, hint, severity: 'error' }]
  })
}

/** All that is reached from some templates: whatever stands in quotes there may be a name. */
function usedBy(sources: readonly Source[], names: ReadonlySet<string>, roots: readonly string[]): ReadonlySet<string> {
  const byName = new Map(sources.map((source) => [source.template, source]))
  const used = new Set<string>()
  const todo = [...roots]
  for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
    if (used.has(name) || !names.has(name)) continue
    used.add(name)
    for (const [, , quoted = ''] of byName.get(name)?.text.matchAll(QUOTED) ?? []) todo.push(plainName(quoted))
  }
  return used
}

/** Templates in the site's folder of templates that are in no folder that anything is taken from, or override nothing there. */
function strays(own: string, builtIn: string): string[] {
  const folder = dirname(own)
  const known = new Set(
    OTHERS.flatMap((name) => templateFiles([join(dirname(builtIn), name)]).map((file) => `${name}/${file.name}`)),
  )
  return templateFiles([folder])
    .filter(({ name }) => name.endsWith('.liquid') && !/^(?:site|shortcodes)\//.test(name) && !known.has(name))
    .map(({ file }) => file)
}

function unused(file: string, hint: string): Problem {
  return { file, message: 'Nothing uses this template.', hint, severity: 'warning' }
}
