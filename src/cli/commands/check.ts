import { relative, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import type { Problem } from '#core/document.ts'
import { counted } from '#lib/counted.ts'
import { NotFound } from '#lib/errors.ts'
import { globPattern } from '#lib/glob.ts'
import { findProblems } from '../checks.ts'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { EXIT } from '../failure.ts'
import type { Quire } from '../open/site.ts'
import { placeOf } from '../output.ts'
import { ownKeyNotes } from '../own-keys.ts'
import { passedOverNote } from '../passed-over.ts'
import { withSite } from '../site.ts'

const FORMATS = ['text', 'json', 'github'] as const

type Format = (typeof FORMATS)[number]

export function define(command: Command, act: Act): void {
  command
    .argument('[patterns...]', 'files or globs to look at; all if none are given')
    .addOption(new Option('--format <format>', 'how to print what is found').choices(FORMATS).default('text'))
    .addHelpText('after', examples('cms check', "cms check 'content/posts/2026/**' --format github"))
    .addHelpText('after', '\nExit code 0: nothing found; 1: problems found; 3: the configuration is invalid.')
    .action(act((call, patterns: string[], options: { format: Format }) => check(call, patterns, options.format)))
}

async function check(call: Call, patterns: readonly string[], format: Format): Promise<Answer> {
  return withSite(call, async (site) => {
    const wanted = patterns.length > 0 ? await filesOf(call, site, patterns) : undefined
    const all = await findProblems(site)
    const problems = wanted ? all.filter((problem) => wanted.has(problem.file)) : all
    const notes = wanted ? [] : [...(await ownKeyNotes(site)), ...[(await passedOverNote(site)) ?? []].flat()]
    // As JSON they are in the document.
    for (const note of notes) call.output.options.json ? call.output.warn({ message: note }) : call.output.say(note)
    const files = new Set(problems.map((problem) => problem.file)).size
    const message =
      problems.length === 0 ? 'Nothing is wrong.' : `${counted(problems.length, 'problem')} in ${counted(files, 'file')}.`
    call.output.say(message)
    const text = problems.map(format === 'github' ? githubLine : textLine).join('\n')
    const failed = problems.length > 0 ? { exit: EXIT.failed, message, hint: 'Each problem says where it is.' } : undefined
    return { data: { problems: problems.map((problem) => ({ ...problem })) }, text, failed }
  })
}

/** The files that the patterns match, from the site's root. Patterns are meant from the working folder, as a shell gives them. */
async function filesOf(call: Call, site: Quire, patterns: readonly string[]): Promise<ReadonlySet<string>> {
  const plain = patterns.map((pattern) => pattern.replaceAll('\\', '/'))
  const found = site.names ? named(call, site, plain, await site.names()) : await onDisk(call, site, plain)
  if (found.length === 0)
    throw new NotFound(`No file matches ${patterns.join(' ')}.`, 'Patterns are meant from the working folder: content/posts/**')
  return new Set(found)
}

async function onDisk(call: Call, site: Quire, plain: string[]): Promise<string[]> {
  const { default: glob } = await import('fast-glob')
  const options = { cwd: call.directory, followSymbolicLinks: false, dot: false }
  const [files, folders] = await Promise.all([glob(plain, options), glob(plain, { ...options, onlyDirectories: true })])
  const within =
    folders.length > 0
      ? await glob(
          folders.map((folder) => `${glob.escapePath(folder)}/**`),
          options,
        )
      : []
  return [...files, ...within].map((file) => relative(site.root, resolve(call.directory, file)).replaceAll('\\', '/'))
}

/** Those of the names, from the site's root, that a pattern matches or that are below a folder which one does. */
function named(call: Call, site: Quire, plain: readonly string[], names: readonly string[]): string[] {
  const whole = plain.map((pattern) => relative(site.root, resolve(call.directory, pattern)).replaceAll('\\', '/'))
  const wanted = whole.flatMap((pattern) => [globPattern(pattern), globPattern(pattern === '' ? '**' : `${pattern}/**`)])
  return names.filter((name) => wanted.some((pattern) => pattern.test(name)))
}

function textLine(problem: Problem): string {
  return `${placeOf(problem)}: ${problem.severity}: ${problem.message}${problem.hint ? ` ${problem.hint}` : ''}`
}

/** A workflow command of GitHub Actions, which shows the problem at its line. */
function githubLine({ file, line, column, message, hint, severity }: Problem): string {
  const place = [`file=${property(file)}`, ...(line ? [`line=${line}`] : []), ...(line && column ? [`col=${column}`] : [])].join(
    ',',
  )
  return `::${severity} ${place}::${data(hint ? `${message} ${hint}` : message)}`
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
