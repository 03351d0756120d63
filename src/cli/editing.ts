import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { Document } from '#core/document.ts'
import type { Change } from '#core/store.ts'
import type { Call } from './command.ts'
import { usage } from './failure.ts'
import type { Quire } from './open/site.ts'
import { withSite } from './site.ts'

/** Opens a file in the person's editor and resolves when that has ended well. */
export async function openEditor(call: Call, path: string): Promise<void> {
  await call.yieldTerminal(() => edited(call.env.VISUAL || call.env.EDITOR || 'vi', path))
}

async function edited(editor: string, path: string): Promise<void> {
  // The variable may hold arguments ("code --wait"), as git and crontab take it too.
  const [command = 'vi', ...given] = editor.split(' ').filter((part) => part !== '')
  const child = spawn(command, [...given, path], { stdio: 'inherit' })
  const [code] = await once(child, 'exit').catch(() => {
    throw usage(`The editor ${command} can't be started.`, 'Set VISUAL or EDITOR to the one you use.')
  })
  if (code !== 0) throw usage(`The editor ended with ${code ?? 'a signal'}.`, 'Set VISUAL or EDITOR to the one you use.')
}

/**
 * Lets a person edit a copy of a record that is in no file, and saves it over the version they saw. If that fails, the copy stays
 * and its path is printed.
 */
export async function editCopy(call: Call, document: Document, file: string): Promise<void> {
  const before = document.source ?? Buffer.from(document.body)
  const path = join(await mkdtemp(join(tmpdir(), 'quire-')), basename(file))
  await writeFile(path, before, { mode: 0o600 })
  try {
    await openEditor(call, path)
    const after = await readFile(path)
    if (after.equals(before)) call.output.say('Nothing was changed.')
    else await withSite(call, (site) => save(site, document, file, after))
  } catch (error) {
    if ((await readFile(path)).equals(before)) await rm(dirname(path), { recursive: true, force: true })
    else call.output.complain(`What you wrote is in ${path}.`)
    throw error
  }
  await rm(dirname(path), { recursive: true, force: true })
}

/** A record that can't be read is not overwritten, unless the person who saw its text replaces it. */
async function save(site: Quire, { key, version, problem }: Document, file: string, source: Buffer): Promise<void> {
  const put = { source, file: file.slice(file.indexOf('/') + 1) }
  const changes: Change[] =
    problem?.severity === 'error'
      ? [
          { key, remove: true, expects: version },
          { key, put },
        ]
      : [{ key, put, expects: version }]
  await site.store.write(changes, site.access.author)
}
