import type { Problem } from '#core/document.ts'
import type { Store } from '#core/store.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import { fileOf, filesOf, sharesFile } from '../building/build.ts'
import type { MediaSource } from '../files/media-source.ts'
import { type FileSource, placedFiles } from '../files/placing.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import { type BuiltPath, paths, type RenderContext } from '../pages/pages.ts'
import { linkProblems } from './links.ts'
import { templateProblems, unknownTemplates } from './templates.ts'

/** The parts of a site that remarks are about. */
interface Parts {
  readonly root: string
  readonly store: Store
  readonly types: ContentTypes
  readonly config: { readonly site: { readonly content: string } }
  readonly templatesDir: string
  readonly ownTemplatesDir: string
  readonly media?: () => MediaSource
  readonly files: FileSource
}

/**
 * Finds what is worth a remark: templates that name something missing or that nothing uses, records that name no template there
 * is, pages that share a file in a built site, files without a place, and links and menu items that lead nowhere.
 */
export async function siteRemarks(parts: Parts, snapshot: SiteSnapshot, context: RenderContext): Promise<Problem[]> {
  const { types, root, ownTemplatesDir, templatesDir } = parts
  const { theme } = context
  const entries = [...snapshot.outline.records.values()]
  const named = [...types.declared(), ...entries].flatMap(({ template }) => template ?? [])
  const todo = await paths(snapshot, context)
  const { placed, lost } = await placedFiles(parts.files, snapshot, filesOf(todo, snapshot.urls))
  return [
    ...templateProblems(theme, { root, own: ownTemplatesDir, builtIn: templatesDir, named }),
    ...unknownTemplates(entries, theme),
    ...sharedFiles(todo, snapshot),
    ...lost,
    ...(await linkProblems({ ...parts, files: new Set(placed.map(({ out }) => out)) }, snapshot, theme)),
  ]
}

/** The pages whose file in a built site another page has. */
function sharedFiles(todo: readonly BuiltPath[], { urls }: SiteSnapshot): Problem[] {
  const holders = new Map<string, BuiltPath>()
  return todo.flatMap((one) => {
    if (one.yields || one.target?.kind === 'redirect') return []
    const file = fileOf(one, urls)
    const holder = holders.get(file)
    if (!holder) holders.set(file, one)
    return holder ? sharesFile(one, holder, file) : []
  })
}
