import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A folder of its own with these files (paths with `/`), and how to be rid of it. */
export interface TestSite {
  root: string
  path(relative: string): string
  write(relative: string, bytes: string | Buffer): void
  remove(): void
}

/** Makes a site in the system's folder for temporary files. */
export function makeSite(files: Readonly<Record<string, string | Buffer>> = {}): TestSite {
  const root = mkdtempSync(join(tmpdir(), 'quire-site-'))
  const path = (relative: string) => join(root, ...relative.split('/'))
  const write = (relative: string, bytes: string | Buffer) => {
    mkdirSync(dirname(path(relative)), { recursive: true })
    writeFileSync(path(relative), bytes)
  }
  mkdirSync(path('content'), { recursive: true })
  for (const [relative, bytes] of Object.entries(files)) write(relative, bytes)
  return { root, path, write, remove: () => rmSync(root, { recursive: true, force: true }) }
}
