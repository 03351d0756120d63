import { resolve } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { parseRevisionName } from '#core/history/revision-name.ts'
import { instantFault } from '#core/types/values.ts'
import type { BuildOptions, BuildReport } from '#features/site/building/build.ts'
import { counted } from '#lib/text/counted.ts'
import { onFiles } from './checking/checks.ts'
import type { Answer, Call, Failed } from './command.ts'
import { asUsage, EXIT, usage } from './failure.ts'
import type { OpenOptions, Quire } from './open/site.ts'
import { oneLine, placeOf, shownPath } from './output.ts'
import { withSite } from './site.ts'

/** The options of `cms build`, as they are written. */
export interface BuildFlags {
  readonly out?: string
  readonly baseUrl?: string
  readonly drafts?: boolean
  readonly future?: boolean
  readonly clock?: string
  readonly at?: string
  readonly dryRun?: boolean
  readonly verify?: boolean
  readonly watch?: boolean
}

/**
 * V8 lets a heap become several times what is in use before it looks through all of it, and pages leave much behind: at this
 * percentage a build of 10,000 records takes a quarter less memory, for a twentieth more of a processor beside the main thread.
 */
const GROWTH = '--heap-growing-percent=40'

/** Builds that follow each other where others change files meanwhile: the last one stays. */
const MOST_BUILDS = 3

/**
 * Opens the site of a call, builds it and closes it; again where files turned out to be others meanwhile, as by a checkout: what was
 * built then may be some of what was and some of what is.
 */
export async function buildOnce(call: Call, flags: BuildFlags): Promise<Answer> {
  const started = performance.now()
  for (let builds = 1; ; builds++) {
    let isSame = true
    const build = async (site: Quire) => {
      const unsubscribe = site.store.subscribe(() => {
        isSame = !site.isInFiles
      })
      return built(call, site, flags, started).finally(unsubscribe)
    }
    const answer = await withSite(call, build, momentOf(flags))
    if (isSame || builds === MOST_BUILDS) return answer
    call.output.say('Files were changed meanwhile: the site is built again.')
  }
}

/** The moment that a build is of, as a site is opened. */
function momentOf({ at, clock, verify }: BuildFlags): Partial<OpenOptions> {
  if (clock !== undefined && (clock.length <= 'YYYY-MM-DD'.length || instantFault(clock) !== undefined))
    throw usage(`--clock is an RFC 3339 date and time, not "${clock}".`, 'For example: --clock 2026-12-24T18:00:00Z')
  return {
    ...(at !== undefined && { at: momentNamed(at) }),
    ...(clock !== undefined && { now: Date.parse(clock) }),
    ...(verify && { anew: true }),
  }
}

function momentNamed(at: string): NonNullable<OpenOptions['at']> {
  try {
    return parseRevisionName('at', at)
  } catch (error) {
    return asUsage(error)
  }
}

/** Builds a site that is open. */
export async function built(call: Call, site: Quire, flags: BuildFlags, started: number): Promise<Answer> {
  setFlagsFromString(GROWTH)
  const out = flags.out === undefined ? resolve(site.root, site.config.build.out) : resolve(call.directory, flags.out)
  const progress = call.output.progress(flags.dryRun || flags.verify ? 'Making the site' : 'Writing the site')
  const onProgress = (done: number, of: number) => {
    call.signal.throwIfAborted()
    progress.step(done, of)
  }
  const report = await site.features.site.build(out, { ...chosen(flags), onProgress }).finally(() => progress.end())
  const problems = await onFiles(site, report.problems)
  for (const problem of problems)
    call.output.complain(`${placeOf(problem)}: ${oneLine(problem.hint ? `${problem.message} ${problem.hint}` : problem.message)}`)
  const errors = problems.filter((problem) => problem.severity === 'error').length
  if (!flags.verify)
    call.output.say(`${summaryOf(report, started)}${flags.dryRun ? ' Nothing was written: this is what would be.' : ''}`)
  if (report.unsearched !== undefined) call.output.warn({ message: report.unsearched, hint: 'It is built without a search.' })
  const { pages, redirects, files, written, unchanged, removed, changes } = report
  const differing = flags.verify
    ? [...changes.written, ...changes.removed, ...(changes.isListed ? ['.quire-build'] : [])].sort()
    : []
  const data = {
    ...{ out, pages, redirects, files, written, unchanged, removed },
    ...(flags.dryRun && { changes: { written: [...changes.written], removed: [...changes.removed] } }),
    ...(flags.verify && { differing }),
    problems: problems.map((problem) => ({ ...problem })),
  }
  const wrong = differs(differing)
  if (wrong) call.output.complain(`${wrong.message} ${wrong.hint}`)
  else if (flags.verify) call.output.say(`${counted(unchanged, 'file')}, each as a build of everything makes it.`)
  return { data, text: textOf(report, flags, differing), failed: wrong ?? incomplete(errors) }
}

function chosen({ baseUrl, drafts, future, dryRun, verify, watch }: BuildFlags): BuildOptions {
  return {
    ...(baseUrl !== undefined && { baseUrl }),
    ...(drafts && { drafts }),
    ...(future && { future }),
    ...(watch && { isOneOfMany: true }),
    trial: dryRun ? 'dry' : verify ? 'verify' : undefined,
  }
}

function textOf({ out, changes }: BuildReport, { dryRun, verify }: BuildFlags, differing: readonly string[]): string {
  if (verify) return differing.join('\n')
  if (!dryRun) return shownPath(out)
  return [...changes.written.map((file) => `write ${file}`), ...changes.removed.map((file) => `remove ${file}`)].join('\n')
}

function summaryOf({ pages, redirects, files, written, unchanged, removed }: BuildReport, started: number): string {
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  const others = [redirects > 0 ? counted(redirects, 'redirect') : [], files > 0 ? counted(files, 'file') : []].flat()
  const made = [[counted(pages, 'page'), ...others.slice(0, -1)].join(', '), ...others.slice(-1)]
  return `${made.join(' and ')} in ${seconds} s: ${counted(written, 'file')} written, ${unchanged} unchanged, ${removed} removed.`
}

function differs(differing: readonly string[]): Required<Failed> | undefined {
  if (differing.length === 0) return undefined
  const message = `${counted(differing.length, 'file')} of the built site ${differing.length === 1 ? 'is' : 'are'} not as a build of everything makes it.`
  const hint = '`cms build` writes them. If they differ after that, remove .cms/cache, build again, and report it, please.'
  return { exit: EXIT.failed, message, hint }
}

function incomplete(errors: number): Failed | undefined {
  if (errors === 0) return undefined
  const message = `${counted(errors, 'problem')}: what they are about was not written, all else was.`
  return { exit: EXIT.invalid, message, hint: '`cms check` names them, by file and line.' }
}
