import { copyFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { git, gitText } from '#git/process.ts'
import { type Repository, readHead } from '#git/repository.ts'
import { readSettings } from '#git/settings.ts'
import { readableText } from '#lib/files/readable.ts'
import { shallowCommits } from '../history/record-log.ts'
import { type ConversionPart, type HistoryPart, PINS, SETTING } from './manifest.ts'

/** The identity that what was staged is wrapped in: it is in no branch, and gone when it is restored. */
const NOBODY = {
  GIT_AUTHOR_NAME: 'Quire',
  GIT_AUTHOR_EMAIL: 'quire@localhost',
  GIT_COMMITTER_NAME: 'Quire',
  GIT_COMMITTER_EMAIL: 'quire@localhost',
}

/**
 * Notes how the repository stands and keeps its refs still, under names of our own, until `unpin`. `folder` is for files that are
 * made on the way.
 */
export async function pin(repository: Repository, folder: string): Promise<HistoryPart> {
  const { top, prefix, format } = repository
  await unpin(repository)
  const head = await readHead(repository)
  const staged = await stagedCommit(repository, folder)
  const listed = await gitText(top, ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads', 'refs/tags'])
  const refs = listed.split('\n').flatMap((line) => {
    const [, id, name] = /^([0-9a-f]+) refs\/(.+)$/.exec(line) ?? []
    return id !== undefined && name !== undefined ? [`create ${PINS}/${name} ${id}`] : []
  })
  if (head.ref === undefined && head.commit !== undefined) refs.push(`create ${PINS}/detached ${head.commit}`)
  if (staged !== undefined) refs.push(`create ${PINS}/index ${staged}`)
  if (refs.length > 0) await git(top, ['update-ref', '--stdin'], { input: `${refs.join('\n')}\n` })
  return {
    prefix,
    object_format: format,
    head: head.ref ?? null,
    bundle: refs.length > 0,
    index: staged !== undefined,
    shallow: [...shallowCommits(repository)],
    settings: await settingsOf(top),
    conversion: await conversionOf(repository),
  }
}

/** Writes what is pinned, with all its history, to `file`. */
export async function bundle({ top }: Repository, file: string): Promise<void> {
  await git(top, ['bundle', 'create', '--quiet', file, `--glob=${PINS}/*`])
}

/** Forgets what was pinned. */
export async function unpin({ top }: Repository): Promise<void> {
  const refs = await gitText(top, ['for-each-ref', '--format=delete %(refname)', PINS])
  if (refs !== '') await git(top, ['update-ref', '--stdin'], { input: `${refs}\n` })
}

/** The index as a commit; undefined where there is none, or it holds the two sides of a merge. */
async function stagedCommit({ top, dir }: Repository, folder: string): Promise<string | undefined> {
  const index = join(folder, 'index')
  try {
    await copyFile(join(dir, 'index'), index)
    const tree = await gitText(top, ['write-tree'], { env: { GIT_INDEX_FILE: index } })
    return await gitText(top, ['commit-tree', '-m', 'What was staged', tree], { env: NOBODY })
  } catch {
    return undefined
  } finally {
    await rm(index, { force: true })
  }
}

async function conversionOf({ top, common }: Repository): Promise<ConversionPart> {
  const { endings } = await readSettings(top)
  return { ...endings, attributes: readableText(join(common, 'info', 'attributes')) ?? null }
}

async function settingsOf(top: string): Promise<[string, string][]> {
  const text = await gitText(top, ['config', '--local', '--null', '--get-regexp', '^(remote|branch)\\.']).catch(() => '')
  return text.split('\0').flatMap((entry): [string, string][] => {
    const end = entry.indexOf('\n')
    const [name, value] = [entry.slice(0, end), entry.slice(end + 1)]
    return end > 0 && SETTING.test(name) ? [[name, value]] : []
  })
}
