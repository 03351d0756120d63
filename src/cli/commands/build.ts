import { resolve } from 'node:path'
import type { Command } from 'commander'
import { counted } from '#lib/counted.ts'
import { onFiles } from '../checks.ts'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { EXIT, usage } from '../failure.ts'
import { placeOf, shownPath } from '../output.ts'
import { withSite } from '../site.ts'

interface Options {
  out?: string
  baseUrl?: string
  drafts?: boolean
  future?: boolean
}

export function define(command: Command, act: Act): void {
  command
    .option('--out <dir>', 'folder to write to (else build.out)')
    .option('--base-url <url>', 'address the files will be served at (else build.base_url, else site.url)')
    .option('--drafts', 'with what is not published')
    .option('--future', 'with what is published later')
    .addHelpText('after', examples('cms build', 'cms build --out dist --base-url https://example.org'))
    .addHelpText(
      'after',
      '\nExit code 3: some records could not be read or have no address of their own; everything else was written.',
    )
    .action(act((call, options: Options) => build(call, options)))
}

async function build(call: Call, options: Options): Promise<Answer> {
  if (options.baseUrl !== undefined) checkAddress(options.baseUrl)
  const started = performance.now()
  return withSite(call, async (site) => {
    const out = options.out === undefined ? resolve(site.root, site.config.build.out) : resolve(call.directory, options.out)
    const progress = call.output.progress('Writing the site')
    const onProgress = (done: number, of: number) => {
      call.signal.throwIfAborted()
      progress.step(done, of)
    }
    const report = await site.features.site.build(out, { ...chosen(options), onProgress }).finally(() => progress.end())
    const problems = await onFiles(site, report.problems)
    for (const problem of problems)
      call.output.complain(`${placeOf(problem)}: ${problem.message}${problem.hint ? ` ${problem.hint}` : ''}`)
    const errors = problems.filter((problem) => problem.severity === 'error').length
    const { pages, redirects, files, written, unchanged, removed, unsearched } = report
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    const others = [redirects > 0 ? counted(redirects, 'redirect') : [], files > 0 ? counted(files, 'file') : []].flat()
    const made = [[counted(pages, 'page'), ...others.slice(0, -1)].join(', '), ...others.slice(-1)]
    call.output.say(
      `${made.join(' and ')} in ${seconds} s: ${counted(written, 'file')} written, ${unchanged} unchanged, ${removed} removed.`,
    )
    if (unsearched !== undefined) call.output.warn({ message: unsearched, hint: 'It is built without a search.' })
    const data = {
      out,
      pages,
      redirects,
      files,
      written,
      unchanged,
      removed,
      problems: problems.map((problem) => ({ ...problem })),
    }
    const message = `${counted(errors, 'problem')}: what they are about was not written, all else was.`
    const hint = '`cms check` names them, by file and line.'
    return { data, text: shownPath(out), failed: errors > 0 ? { exit: EXIT.invalid, message, hint } : undefined }
  })
}

function chosen({ baseUrl, drafts, future }: Options): { baseUrl?: string; drafts?: boolean; future?: boolean } {
  return { ...(baseUrl === undefined ? {} : { baseUrl }), ...(drafts ? { drafts } : {}), ...(future ? { future } : {}) }
}

function checkAddress(text: string): void {
  if (URL.canParse(text) && /^https?:/.test(text)) return
  throw usage(`--base-url is a web address, not "${text}".`, 'For example: --base-url https://example.org')
}
