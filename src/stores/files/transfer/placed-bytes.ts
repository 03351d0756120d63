import { createHash } from 'node:crypto'
import { constants, createReadStream, existsSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { Author } from '#core/document.ts'
import { git, gitText } from '#git/process.ts'
import type { Repository } from '#git/repository.ts'
import { Conflict } from '#lib/errors.ts'
import { besideOf, makeFolders, syncFolder } from '#lib/files/atomic.ts'

const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL

/** Puts large files in their places, each whole or not at all, and sees to it that they are on the disk. */
export class PlacedBytes {
  /** The files that are in their places, as they were named. */
  readonly files: string[] = []
  readonly #folders = new Set<string>()

  /** Puts a file below a folder. Throws Conflict where there is one with other bytes. */
  async put(root: string, file: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const path = join(root, file)
    for (const made of makeFolders(root, dirname(path), 0o777)) this.#folders.add(dirname(made))
    this.#folders.add(dirname(path))
    const beside = besideOf(path)
    try {
      const hash = await written(beside, bytes)
      if (!existsSync(path)) await rename(beside, path)
      else if ((await hashOf(createReadStream(path))) !== hash) throw taken(file)
    } finally {
      await rm(beside, { force: true })
    }
    this.files.push(file)
  }

  /** Resolves when all of them are on the disk. */
  async end(): Promise<void> {
    for (const folder of this.#folders) await syncFolder(folder)
  }
}

/** The files of a site that are to be in a commit (paths from `root`), and the one that they come on top of. */
interface FilesCommit {
  readonly root: string
  readonly files: readonly string[]
  readonly by: Author
  readonly on: string | undefined
}

/**
 * Makes a commit of files that are in their places, and returns it, or the one below where that has them as they are. No branch is
 * moved. What the repository ignores stays ignored.
 */
export async function commitFiles({ top, dir }: Repository, { root, files, by, on }: FilesCommit): Promise<string | undefined> {
  if (files.length === 0) return on
  const index = join(dir, 'cms-transfer-index')
  const env = { GIT_INDEX_FILE: index }
  const clear = async () => {
    for (const one of [index, `${index}.lock`]) await rm(one, { force: true })
  }
  // A process that was killed may have left them.
  await clear()
  try {
    await git(top, on === undefined ? ['read-tree', '--empty'] : ['read-tree', on], { env })
    const input = files.map((file) => relative(top, join(root, file)).replaceAll('\\', '/')).join('\0')
    // Exit code 1: some are ignored.
    const add = ['--literal-pathspecs', 'add', '--pathspec-from-file=-', '--pathspec-file-nul']
    await git(top, add, { input, env, accept: [1] })
    if (on === undefined && (await git(top, ['ls-files'], { env })).length === 0) return undefined
    const tree = await gitText(top, ['write-tree'], { env })
    if (on !== undefined && tree === (await gitText(top, ['rev-parse', '--verify', `${on}^{tree}`]))) return on
    return await gitText(
      top,
      ['commit-tree', ...(on === undefined ? [] : ['-p', on]), '-m', 'Bring the files of the site', tree],
      {
        env: identityOf(by),
      },
    )
  } finally {
    await clear()
  }
}

function identityOf({ name, email }: Author): Readonly<Record<string, string>> {
  return { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email }
}

/** Writes a file, and resolves with the hash of its bytes when they are on the disk. */
async function written(path: string, bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const file = await open(path, NEW, 0o666)
  try {
    const hash = await hashOf(bytes, (piece) => writeAll(file, piece))
    await file.sync()
    return hash
  } finally {
    await file.close()
  }
}

async function hashOf(bytes: AsyncIterable<Uint8Array>, take?: (piece: Uint8Array) => Promise<void>): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of bytes) {
    hash.update(piece)
    await take?.(piece)
  }
  return hash.digest('hex')
}

/** A single write may take less than it is given. */
async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let from = 0; from < bytes.length; ) from += (await file.write(bytes, from)).bytesWritten
}

function taken(file: string): Conflict {
  return new Conflict(`There is another file at ${file} already.`, undefined, 'Move it aside, then run it again.')
}
