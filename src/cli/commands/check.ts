import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import type { Problem } from '#core/document.ts'
import { groupKey } from '#core/settings.ts'
import { NotFound, Unreadable } from '#lib/errors.ts'
import { counted } from '#lib/text/counted.ts'
import { globPattern } from '#lib/text/glob.ts'
import { findProblems } from '../checking/checks.ts'
import { foreignNotes } from '../checking/foreign-notes.ts'
import { handleNotes } from '../checking/handle-notes.ts'
import { ownKeyNotes } from '../checking/own-keys.ts'
import { passedOverNote } from '../checking/passed-over.ts'
import { takenNameNotes } from '../checking/taken-names.ts'
import { teamNotes } from '../checking/team-notes.ts'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { EXIT } from '../failure.ts'
import type { Quire } from '../open/site.ts'
import { oneLine, placeOf } from '../output.ts'
import { withSite } from '../site.ts'

const FORMATS = ['text', 'json', 'github'] as const

/** The remark on what is read beside a git that does not end. */
const PROVISIONAL = {
  message: 'A git command has locked the index: what is found may be in the middle of its changes.',
  hint: 'Check again when it has ended; `cms doctor` names the lock.',
}

interface Options {
  readonly format: (typeof FORMATS)[number]
  readonly fix?: boolean
}

export function define(command: Command, act: Act): void {
  command
    .argument('[patterns...]', 'files or globs to look at; all if none are given')
    .addOption(new Option('--format <format>', 'how to print what is found').choices(FORMATS).default('text'))
    .option('--fix', 'give each group of settings in content/settings.yaml a file of its own, first')
    .addHelpText('after', examples('cms check', "cms check 'content/posts/2026/**' --format github", 'cms check --fix'))
    .addHelpText('after', '\nExit code 0: nothing found; 1: problems found; 3: the configuration is invalid.')
    .action(act((call, patterns: string[], options: Options) => check(call, patterns, options)))
}

async function check(call: Call, patterns: readonly string[], { format, fix }: Options): Promise<Answer> {
  return withSite(
    call,
    async (site) => {
      if (fix) await splitSettings(call, site)
      const all = await allProblems(call, site)
      const files = [...(await site.files()), ...all.map(({ file }) => file)]
      const wanted = patterns.length > 0 ? matching(call, site, patterns, files) : undefined
      const problems = wanted ? all.filter((problem) => wanted.has(problem.file)) : all
      const notes = wanted
        ? []
        : [
            ...(await ownKeyNotes(site)),
            ...(await handleNotes(site)),
            ...(await takenNameNotes(site)),
            ...(await teamNotes(site)),
            ...(await foreignNotes(site)),
            ...[(await passedOverNote(site)) ?? []].flat(),
          ]
      // As JSON they are in the document.
      for (const note of notes) call.output.options.json ? call.output.warn({ message: note }) : call.output.say(note)
      const count = new Set(problems.map((problem) => problem.file)).size
      const message =
        problems.length === 0 ? 'Nothing is wrong.' : `${counted(problems.length, 'problem')} in ${counted(count, 'file')}.`
      call.output.say(message)
      const text = problems.map(format === 'github' ? githubLine : textLine).join('\n')
      const failed = problems.length > 0 ? { exit: EXIT.failed, message, hint: 'Each problem says where it is.' } : undefined
      return { data: { problems: problems.map((problem) => ({ ...problem })) }, text, failed }
    },
    { onProvisional: () => call.output.warn(PROVISIONAL) },
  )
}

/** All problems; to make every page may take long. */
function allProblems(call: Call, site: Quire): Promise<Problem[]> {
  const progress = call.output.progress('Making the pages')
  const onPage = (done: number, of: number) => {
    call.signal.throwIfAborted()
    progress.step(done, of)
  }
  return findProblems(site, { onPage }).finally(() => progress.end())
}

async function splitSettings(call: Call, site: Quire): Promise<void> {
  const split = await site.features.settings.split(site.access).catch((error: unknown) => {
    // The problem is named with all others.
    if (!(error instanceof Unreadable)) throw error
    call.output.say('The settings are not split: their file can’t be read.')
  })
  if (!split) return
  const { groups, left } = split
  const files = await Promise.all(groups.map((group) => site.fileOf(groupKey(group))))
  if (groups.length > 0) call.output.say(`${counted(groups.length, 'group')} of settings moved to ${files.join(', ')}.`)
  if (left.length > 0) call.output.say(`What is left in the file of all groups: ${left.join(', ')}.`)
}

/**
 * The files that a pattern matches, or that are below a folder which one does. Patterns are meant from the working folder, as a
 * shell gives them; a file that is there and is none of these is no mistake.
 */
function matching(call: Call, site: Quire, patterns: readonly string[], files: readonly string[]): ReadonlySet<string> {
  const fromRoot = (path: string) => relative(site.root, resolve(call.directory, path)).replaceAll('\\', '/')
  const whole = patterns.map((pattern) => fromRoot(pattern.replaceAll('\\', '/')))
  const wanted = whole.flatMap((pattern) => [globPattern(pattern), globPattern(pattern === '' ? '**' : `${pattern}/**`)])
  const found = files.filter((file) => whole.includes(file) || wanted.some((pattern) => pattern.test(file)))
  const isThere = (path: string) => site.isInFiles && existsSync(join(site.root, path))
  if (found.length === 0 && !whole.some(isThere))
    throw new NotFound(`No file matches ${patterns.join(' ')}.`, 'Patterns are meant from the working folder: content/posts/**')
  return new Set(found)
}

function textLine(problem: Problem): string {
  return `${placeOf(problem)}: ${problem.severity}: ${oneLine(problem.hint ? `${problem.message} ${problem.hint}` : problem.message)}`
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
