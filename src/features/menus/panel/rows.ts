import type { Row, Rows } from '../../resource.ts'
import type { Menus } from '../menus.ts'
import type { ListedMenu } from '../schema.ts'
import { labelOf } from '../view.ts'

/** Returns a menu as the panel has it. */
export function rowOf(view: ListedMenu): Row {
  const { name, label, items = [], version } = view
  return {
    id: name,
    title: label ?? name,
    values: { name, label, items: JSON.parse(JSON.stringify(items)), count: items.length },
    version,
  }
}

/** Returns menus that were removed as the panel lists them. */
export function removedRows({ data, meta }: Awaited<ReturnType<Menus['past']['removed']>>): Rows {
  const rows = data.map(({ head, deletedAt, revision }) => {
    const { id } = head.key
    return { id, title: labelOf(head.fields.label) ?? id, values: { deleted_at: deletedAt, revision } }
  })
  return { rows, total: meta.total, page: meta.current_page, perPage: meta.per_page }
}
