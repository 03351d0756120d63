import { hrefOf, type SiteSnapshot } from '../outline/site-snapshot.ts'
import type { TreeNode } from '../outline/tree.ts'

/** A node of a tree of records, for templates. */
export interface NodeView {
  readonly title: string
  /** Null for a folder without a page. */
  readonly url: string | null
  /** True for that of the page itself. */
  readonly current: boolean
  /** True for those above it. */
  readonly within: boolean
  readonly children: readonly NodeView[]
}

/** The views of nodes on a page at an address; `way` are those on the way to it. What is below a node is made when it is read. */
export function nodeViews(
  nodes: readonly TreeNode[],
  way: ReadonlySet<TreeNode>,
  page: { readonly snapshot: SiteSnapshot; readonly url: string },
): NodeView[] {
  return nodes.map((node) => {
    const current = node.url === page.url
    let children: readonly NodeView[] | undefined
    return {
      title: node.title,
      url: node.url === null ? null : hrefOf(page.snapshot, node.url),
      current,
      within: !current && way.has(node),
      get children() {
        children ??= nodeViews(node.children, way, page)
        return children
      },
    }
  })
}
