/** The sort and the parent of a text. */
interface Placed {
  readonly post_type?: string
  readonly post_parent?: string
}

/** Most texts that one is below. */
const DEEPEST = 20

/**
 * The texts that others are below, by their numbers. Plugins publish what is below a text that not everyone reads: topics of a private
 * forum, and what is said to them. WordPress shows a page below a private one to everyone.
 */
export class Ancestors {
  readonly #known = new Map<string, { readonly parent: string; readonly isHidden: boolean }>()

  /** Takes note of a text; `isHidden` where not everyone could read it. */
  add({ post_type = 'post', post_id = '', post_parent = '' }: Placed & { readonly post_id?: string }, isHidden: boolean): void {
    if (post_type !== 'post' && post_type !== 'page') this.#known.set(post_id, { parent: post_parent, isHidden })
  }

  /** The reason why not everyone could read a text that is below others. */
  hiding({ post_type = 'post', post_parent = '' }: Placed): string | undefined {
    if (post_type === 'post' || post_type === 'page') return undefined
    let above = this.#known.get(post_parent)
    for (let depth = 0; above && depth < DEEPEST; depth++) {
      if (above.isHidden) return 'they were below what not everyone could read'
      above = this.#known.get(above.parent)
    }
    return undefined
  }
}
