import { relative } from 'node:path'
import type { FileSource } from '../files/placing.ts'
import type { Showing } from '../outline/outline.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import type { RenderContext } from '../pages/pages.ts'
import type { SiteDeps } from '../site-deps.ts'
import { type BuildOptions, type BuildReport, writeSite } from './build.ts'
import { BuildMemory, memoryOf } from './build-memory.ts'
import type { LastBuild } from './last-build.ts'
import { OutFolder } from './out-folder.ts'
import { realPath } from './out-place.ts'

/** The site that a build is of. */
export interface BuiltSite {
  readonly deps: Pick<SiteDeps, 'config' | 'memory' | 'root' | 'store'>
  readonly source: FileSource
  /** The site as it is now; `url` is where it will be served. */
  snapshot(showing: Showing, url: string): Promise<SiteSnapshot>
  context(): Promise<RenderContext>
  /** Of the build before, where the same process goes on with it. */
  readonly last: LastBuild | undefined
}

/** See `Site.build`. */
export async function buildSite(
  { deps, source, last, ...now }: BuiltSite,
  out: string,
  options: BuildOptions,
): Promise<BuildReport> {
  const { config, root, store } = deps
  // A history that can't be read leaves dates out, and no pages.
  await store.dated().catch(() => undefined)
  const { build, site } = config
  const showing = { drafts: options.drafts ?? build.drafts, future: options.future ?? build.future }
  const snapshot = await now.snapshot(showing, options.baseUrl ?? build.base_url ?? site.url)
  const context = await now.context()
  context.theme.workAlone()
  context.views.documents.readOnce()
  context.sitemaps?.lookAnew()
  const folder = OutFolder.open(out, root, [site.content, site.templates, 'static'], options.trial !== undefined, last?.list)
  const memory =
    options.trial === 'verify'
      ? BuildMemory.none()
      : await memoryOf(deps.memory, relative(realPath(root), folder.path), snapshot, context, last?.memory)
  const wordFaults = context.theme.words.faults.map(({ problem }) => problem)
  if (options.trial) memory.forget()
  folder.list.believe(memory.list)
  folder.takeAsSeen(memory.isHeld)
  const to = { folder, memory, shapes: last?.shapes }
  const report = await writeSite(to, snapshot, context, source, options.onProgress)
  return { ...report, problems: [...(await store.problems()), ...snapshot.outline.problems, ...wordFaults, ...report.problems] }
}
