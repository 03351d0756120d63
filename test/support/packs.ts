import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { git } from './git.ts'
import type { TestSite } from './sites.ts'

/** Counts the packs of a repository. */
export function packsIn({ common }: { readonly common: string }): number {
  return readdirSync(join(common, 'objects/pack')).filter((name) => name.endsWith('.pack')).length
}

/** Makes so many packs of a commit each, as so many writes leave them. */
export function makePacks(site: TestSite, count: number): void {
  const commit = 'commit refs/heads/main\ncommitter A <a@example.org> 1700000000 +0000\ndata 1\nx\nfrom refs/heads/main^0\n'
  site.write('.git/stream', `${commit}M 100644 inline content/posts/p.md\ndata 2\n#\n\n`)
  const pack = 'git -c fastimport.unpackLimit=0 -c core.fsync=none fast-import --quiet < .git/stream'
  git(site.root, ['-c', `alias.packs=!for n in $(seq ${count}); do ${pack}; done`, 'packs'])
}
