import { createHash } from 'node:crypto'
import { constants, createReadStream, existsSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { Author } from '#core/document.ts'
import { git } from '#git/process.ts'
import type { Repository } from '#git/repository.ts'
import { makeFolders, syncFolder } from '#lib/atomic-files.ts'
import { Conflict } from '#lib/errors.ts'

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
    const beside = join(dirname(path), `.quire-${process.pid}.tmp`)
    await rm(beside, { force: true })
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

/** Commits files (paths from `root`) that are in their places, where they are not committed as they are. What the repository ignores stays ignored. */
export async function commitFiles(
  { top }: Repository,
  { root, files, by }: { readonly root: string; readonly files: readonly string[]; readonly by: Author },
): Promise<void> {
  if (files.length === 0) return
  const input = files.map((file) => relative(top, join(root, file)).replaceAll('\\', '/')).join('\0')
  // Exit code 1: some are ignored.
  const add = ['--literal-pathspecs', 'add', '--pathspec-from-file=-', '--pathspec-file-nul']
  await git(top, add, { input, accept: [1] })
  if ((await git(top, ['diff', '--cached', '--name-only'])).length === 0) return
  const { name, email } = by
  const env = { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email }
  await git(top, ['commit', '--quiet', '--no-verify', '--no-gpg-sign', '-m', 'Bring the files of the site'], { env })
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
