import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { TestSite } from './sites.ts'

/** Nothing of the machine's own configuration, and an author. */
const ENV: Readonly<Record<string, string>> = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
}

/**
 * Runs git in a folder as an author does (`input` goes to its stdin), and gives what it says without the last newline; throws
 * where it fails.
 */
export function git(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input: string | Buffer = '',
): string {
  const options = { cwd: folder, input, encoding: 'utf8' as const, env: { ...process.env, ...ENV, ...env } }
  return execFileSync('git', [...args], options).replace(/\n$/, '')
}

/** One program for three: to begin one costs more the larger the process is that does. */
const BEGIN = 'git init -q -b main && git add -A && exec git -c maintenance.auto=false commit -q --allow-empty -m Begin'

/** Makes the site's folder a repository, with one commit of all that is in it. */
export function makeRepository(site: TestSite): void {
  execFileSync('sh', ['-c', BEGIN], { cwd: site.root, env: { ...process.env, ...ENV } })
}

/** Returns the lines of `git status`; empty if everything is committed. */
export function statusOf(site: TestSite): string[] {
  return git(site.root, ['status', '--porcelain']).split('\n').filter(Boolean)
}

/** Checks that the repository is sound. */
export function isSound(site: TestSite): boolean {
  git(site.root, ['fsck', '--strict', '--no-dangling'])
  return !existsSync(site.path('.git/index.lock'))
}

/** The bytes of an object, as git keeps them: `HEAD:content/a.jpg`. */
export function blobOf(site: TestSite, name: string): Buffer {
  return execFileSync('git', ['-C', site.root, 'cat-file', 'blob', name], { maxBuffer: 2 ** 30 })
}
