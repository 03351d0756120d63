import { join } from 'node:path'
import type { Test } from 'tap'
import { FilesStore } from '#stores/files/store.ts'
import { TestClock } from './clock.ts'
import { git } from './git.ts'
import { makeSite, type TestSite } from './sites.ts'
import { filesOptions, GIT } from './stores.ts'
import { plainTypes } from './types.ts'

/** A second that commits by hand are made in. */
export const SECOND = 1_700_000_000

/** A site in a repository of its own without a commit, removed with the test. */
export function repository(t: Test, files: Readonly<Record<string, string>> = {}, format = 'sha1'): TestSite {
  const site = makeSite(files)
  t.teardown(site.remove)
  git(site.root, ['init', '-q', '-b', 'main', `--object-format=${format}`])
  return site
}

/** The store of a site that is there, closed with the test. */
export async function openAt(t: Test, root: string): Promise<FilesStore> {
  const site: TestSite = { root, path: (path) => join(root, path), write: () => undefined, remove: () => undefined }
  const store = await FilesStore.open({ ...filesOptions(site, plainTypes(), new TestClock()), git: GIT })
  t.teardown(() => store.close())
  return store
}

/** Commits all there is with a message as it is, and gives the commit. */
export function commit(site: { root: string }, message: string, seconds: number = SECOND): string {
  git(site.root, ['add', '-A'])
  const date = `@${seconds} +0000`
  git(site.root, ['commit', '-q', '--allow-empty', '--cleanup=verbatim', '-m', message], {
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_DATE: date,
  })
  return git(site.root, ['rev-parse', 'HEAD'])
}

/** Writes a file and commits it. */
export function save(
  site: TestSite,
  path: string,
  text: string | Buffer,
  message = `Save ${path}`,
  seconds: number = SECOND,
): string {
  site.write(path, text)
  return commit(site, message, seconds)
}
