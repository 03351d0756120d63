import type { Command } from 'commander'
import { type BuildFlags, buildOnce } from '../building.ts'
import { type Act, examples } from '../command.ts'
import { usage } from '../failure.ts'

export function define(command: Command, act: Act): void {
  command
    .option('--out <dir>', 'folder to write to (else build.out)')
    .option('--base-url <url>', 'address the files will be served at (else build.base_url, else site.url)')
    .option('--drafts', 'with what is not published (else build.drafts)')
    .option('--future', 'with what is published later (else build.future)')
    .option('--clock <time>', 'what is live at that time: 2026-12-24T18:00:00Z')
    .option('--at <moment>', 'with the content of that time, or of that commit, by its full hash')
    .option('--dry-run', 'write nothing, and say what would be written and removed')
    .option('--verify', 'write nothing, make everything anew, and fail where the folder has other bytes')
    .option('--watch', 'build again on every change, until interrupted')
    .addHelpText('after', examples('cms build', 'cms build --out dist --base-url https://example.org', 'cms build --verify'))
    .addHelpText(
      'after',
      '\nExit code 1: --verify found files that are not as they would be made. 3: some records could not be read or have no address of their own; everything else was written.',
    )
    .action(
      act(async (call, flags: BuildFlags) => {
        mustGoTogether(flags)
        if (!flags.watch) return buildOnce(call, flags)
        const { buildAgain } = await import('../build-watch.ts')
        return buildAgain(call, flags)
      }),
    )
}

function mustGoTogether({ baseUrl, dryRun, verify, watch, at, clock }: BuildFlags): void {
  if (baseUrl !== undefined && !(URL.canParse(baseUrl) && /^https?:/.test(baseUrl)))
    throw usage(`--base-url is a web address, not "${baseUrl}".`, 'For example: --base-url https://example.org')
  if (baseUrl !== undefined && hasMore(new URL(baseUrl)))
    throw usage(`--base-url has no name, password, ? or #: "${baseUrl}" has.`, 'For example: --base-url https://example.org/docs')
  if (dryRun && verify) throw usage('--dry-run and --verify are two things.', '--verify writes nothing either.')
  const others = { '--dry-run': dryRun, '--verify': verify, '--at': at, '--clock': clock }
  const [other] = Object.entries(others).find(([, value]) => value !== undefined) ?? []
  if (watch && other) throw usage(`--watch and ${other} do not go together.`, 'A build with --watch writes what is there now.')
}

/** Returns whether an address has parts that those of pages would lose. */
function hasMore({ username, password, search, hash }: URL): boolean {
  return `${username}${password}${search}${hash}` !== ''
}
