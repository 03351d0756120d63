import type { Ledger } from '#core/ledger.ts'
import { InvalidInput } from '#lib/errors.ts'
import { leadOn, type Panel, signedIn } from '../requests/panel.ts'
import type { PanelRoutes } from '../requests/panel-routes.ts'
import { isForScript, sendJson, textOf } from '../requests/sent.ts'

/** The ways in which a text is edited. */
const MODES = ['rich', 'source', 'plain'] as const

/** A way in which a text is edited: as it reads, as Markdown with its marks, or in the browser's own field. */
export type EditorMode = (typeof MODES)[number]

/** Milliseconds that a choice is remembered after it was made: two years. */
const LIFE = 730 * 86_400_000

/** Resolves with the user's choice. */
export async function editorOf({ ledger }: { readonly ledger: Ledger }, user: string): Promise<EditorMode> {
  const kept = await ledger.peek(nameOf(user))
  return MODES.find((mode) => mode === kept) ?? 'rich'
}

/** `POST /admin/account/editor`: chooses how one edits texts, in all browsers. */
export function editorRoutes(routes: PanelRoutes, { ledger }: Panel): void {
  routes.on('POST', '/admin/account/editor', async (request, reply) => {
    const chosen = MODES.find((mode) => mode === textOf(request, 'editor'))
    if (!chosen) throw new InvalidInput({ editor: [`The editor is one of ${MODES.join(', ')}.`] })
    await ledger.put(nameOf(signedIn(request).user.id), chosen, LIFE)
    return isForScript(request) ? sendJson(reply, 200, { editor: chosen }) : leadOn(reply, '/admin/account?done=saved')
  })
}

function nameOf(user: string): string {
  return `panel.editor.${user}`
}
