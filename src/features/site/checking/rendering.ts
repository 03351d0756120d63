import { setImmediate } from 'node:timers/promises'
import type { Problem } from '#core/document.ts'
import { cacheKey } from '#lib/cache-key.ts'
import { compareText } from '#lib/text/compare.ts'
import { lacking } from '../building/page-problems.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import type { Printed } from '../pages/page-renderer.ts'
import { type BuiltPath, pageAt, paths, type RenderContext } from '../pages/pages.ts'
import { TemplateFailure } from '../theme/template-failure.ts'
import { FailedPages } from './failed-pages.ts'

const AT_ONCE = 16
/** Milliseconds that pages of one template may take to fail, together: one that never ends fails after ten seconds. */
const PATIENCE_MS = 30_000

/**
 * Finds the templates that fail with a page, or lack a picture there, by making all pages and feeds of a snapshot; none is kept. A template that takes long to
 * fail is not tried with all of its pages.
 */
export async function renderingProblems(
  snapshot: SiteSnapshot,
  context: RenderContext,
  onProgress?: (done: number, total: number) => void,
): Promise<Problem[]> {
  const failed = new FailedPages()
  const lost = new Map<string, { page: string; problem: Problem }>()
  const spent = new Map<string, number>()
  const todo = await paths(snapshot, context)
  // A picture that several pages lack is one problem, with the first of them.
  const note = (printed: Printed | undefined, page: string) => {
    for (const one of printed?.missing ?? []) {
      const name = cacheKey(one.template, one.line, one.href)
      const known = lost.get(name)
      if (!known || page < known.page) lost.set(name, { page, problem: lacking(one, page, context.theme) })
    }
  }
  const tried = async (template: string, path: string, work: () => Promise<unknown>) => {
    if ((spent.get(template) ?? 0) > PATIENCE_MS) return
    const begun = performance.now()
    await work().catch((error: unknown) => {
      if (!(error instanceof TemplateFailure)) throw error
      spent.set(template, (spent.get(template) ?? 0) + performance.now() - begun)
      failed.add(error, path)
    })
  }
  for (let start = 0; start < todo.length; start += AT_ONCE) {
    const part = todo.slice(start, start + AT_ONCE)
    await Promise.all(
      part.map((one) =>
        tried(templateOf(one, snapshot, context), one.path, async () => note(await made(one, snapshot, context), one.path)),
      ),
    )
    onProgress?.(Math.min(start + AT_ONCE, todo.length), todo.length)
    // Signals are handled only between iterations of the event loop.
    await setImmediate()
  }
  await tried('404', '/404', async () => note(await context.renderer.notFound(snapshot), '/404'))
  const lacked = [...lost.values()].map(({ problem }) => problem).sort((a, b) => compareText(a.message, b.message))
  return [...failed.problems, ...lacked]
}

/** The template of a page; of a feed, that of its texts. */
function templateOf({ target, path }: BuiltPath, snapshot: SiteSnapshot, { renderer }: RenderContext): string {
  return target && target.kind !== 'redirect' ? renderer.plan(target, snapshot).template : path
}

/** Makes what is at a path; resolves with it where it is a page. */
async function made(
  { path, target, feed, isOfSearch }: BuiltPath,
  snapshot: SiteSnapshot,
  context: RenderContext,
): Promise<Printed | undefined> {
  // It shows nothing but what pages have.
  if (isOfSearch) return undefined
  if (target) return target.kind === 'redirect' ? undefined : context.renderer.print(target, snapshot)
  await (feed ? context.feeds.text(feed, snapshot) : pageAt(path, snapshot, context))
  return undefined
}
