import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { git, gitText } from '#git/process.ts'
import { networkGit } from '#git/remote/network.ts'
import { type ConversionPart, type HistoryPart, PINS } from './manifest.ts'

/**
 * Makes the folder `top`, in which the files are already, the repository that it was: branches, tags, what was staged, and on
 * which branch it stood.
 */
export async function rebuildHistory(top: string, history: HistoryPart, bundle: string): Promise<void> {
  const { head, index, settings, prefix, conversion } = history
  await (await networkGit(top)).init([`--object-format=${history.object_format}`, '--quiet'])
  if (history.shallow.length > 0) await writeFile(join(top, '.git', 'shallow'), history.shallow.map((id) => `${id}\n`).join(''))
  if (history.bundle) await fetchAll(top, bundle)
  if (head !== null) await git(top, ['symbolic-ref', 'HEAD', head])
  else await detach(top)
  for (const [name, value] of settings) await git(top, ['config', '--add', '--end-of-options', name, value])
  if (conversion) await setConversion(top, conversion)
  const staged = index ? `${PINS}/index` : (await has(top, 'HEAD')) ? 'HEAD' : undefined
  if (staged !== undefined) await git(top, ['read-tree', '--end-of-options', `${staged}^{tree}`])
  if (prefix !== '') await checkOutRest(top, prefix)
  await git(top, ['update-index', '-q', '--refresh'], { accept: [1] })
  await forget(top)
}

/** git itself checks that all which the refs need is in the bundle, and whole. */
async function fetchAll(top: string, bundle: string): Promise<void> {
  const refs = ['heads', 'tags'].map((name) => `+${PINS}/${name}/*:refs/${name}/*`)
  const own = ['index', 'detached'].map((name) => `+${PINS}/${name}*:${PINS}/${name}*`)
  const options = ['--quiet', '--no-tags', '--update-head-ok', '--no-write-fetch-head']
  await git(top, ['fetch', ...options, bundle, ...refs, ...own])
}

/** Settings that are git's own for want of others are not written. */
async function setConversion(top: string, { autocrlf, eol, attributes }: ConversionPart): Promise<void> {
  if (autocrlf !== 'false') await git(top, ['config', 'core.autocrlf', autocrlf])
  if (eol !== 'native') await git(top, ['config', 'core.eol', eol])
  if (attributes === null) return
  const folder = join(top, '.git', 'info')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'attributes'), attributes)
}

async function detach(top: string): Promise<void> {
  const commit = await gitText(top, ['rev-parse', '--verify', '--end-of-options', `${PINS}/detached`])
  await git(top, ['update-ref', '--no-deref', 'HEAD', commit])
}

/** A site in a folder of a larger repository: what is around it is as it was last committed. */
async function checkOutRest(top: string, prefix: string): Promise<void> {
  const paths = (await git(top, ['ls-files', '-z'])).toString('utf8').split('\0')
  const around = paths.filter((path) => path !== '' && !path.startsWith(prefix))
  await git(top, ['checkout-index', '-z', '--stdin'], { input: around.map((path) => `${path}\0`).join('') })
}

async function forget(top: string): Promise<void> {
  const refs = await gitText(top, ['for-each-ref', '--format=delete %(refname)', PINS])
  if (refs !== '') await git(top, ['update-ref', '--stdin'], { input: `${refs}\n` })
}

async function has(top: string, name: string): Promise<boolean> {
  return gitText(top, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]).then(
    () => true,
    () => false,
  )
}
