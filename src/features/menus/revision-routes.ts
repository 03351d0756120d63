import type { FastifyInstance } from 'fastify'
import { type RevisionRoutesDeps, type RevisionRoutesOf, thingRevisionRoutes } from '#http/past/revision-routes.ts'
import type { Menus } from './menus.ts'
import * as shape from './schema.ts'

/** The dependencies of the routes of menus as they were. */
export interface MenuRevisionRoutes extends RevisionRoutesDeps {
  readonly menus: Menus
}

const words = {
  list: { operationId: 'listMenuRevisions', summary: 'Lists what a menu was, newest first' },
  get: {
    operationId: 'getMenuRevision',
    summary: 'Gives a menu as it was in a revision',
    description: 'Who does not see drafts is shown an item that led to a record where the menu still has it as it was.',
  },
  compare: { operationId: 'compareMenuRevisions', summary: 'Tells what a revision of a menu changed' },
  rollBack: {
    operationId: 'rollBackMenu',
    summary: 'Makes a menu what it was',
    description:
      'That is a revision of its own: nothing of the past is lost. A menu that was removed comes back. Needs content:drafts beside menus:write, for it may lead to any record.',
  },
} as const

/** `/api/menus/{name}/revisions…` and `…/rollback/{ts}`, behind the guard of menus. */
export function menuRevisionRoutes(app: FastifyInstance, { menus, ...deps }: MenuRevisionRoutes): void {
  const of: RevisionRoutesOf = {
    ...{ base: '/api/menus/:name', param: 'name', heading: 'Menus', words },
    shapes: { params: shape.params, thing: shape.menu },
    past: menus.past,
    rollback: menus.rollback.bind(menus),
  }
  thingRevisionRoutes(app, of, deps)
}
