import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Resource } from '../../resource.ts'

/** The page on which one thing of a resource is changed, where a form of fields does not do. */
export interface EditPage {
  /** Shows the list, where that is a page of its own too. */
  list?(resource: Resource, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
  /** Does an action of its own to one thing; undefined for one that it does not know. */
  act?(resource: Resource, id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> | undefined
  show(resource: Resource, id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
  update(resource: Resource, id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
}
