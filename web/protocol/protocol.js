// The types of the wire protocol: the messages between the page and the server. This file has no code.

/**
 * A parameter in JSON: identifier, numeral, truth value, list, function; or a float without a JSON number.
 * @typedef {string | number | boolean | ParameterList | Term | { numeral: string }} Parameter
 */

/** @typedef {Parameter[]} ParameterList */

/**
 * A function, an action or a percept.
 * @typedef {{ name: string, args?: ParameterList }} Term
 */

/** @typedef {{ [name: string]: Parameter }} Parameters */

/** @typedef {{ episode: number, step: number, time: number }} Moment */

/** @typedef {"initializing" | "paused" | "running" | "killed"} State */

/** @typedef {"reactive" | "lockstep" | { realTime: { stepsPerSecond: number } } | "own"} Pace */

/**
 * @typedef {object} Status
 * @property {string} environment
 * @property {string} kind
 * @property {boolean} hosted
 * @property {State} state
 * @property {Moment} moment
 * @property {Pace} pace
 * @property {number | null} speed maximum steps per second; null means no limit
 * @property {number} skippedSteps
 * @property {number} agents
 * @property {number} entities
 * @property {string} [crash]
 * @property {string[]} [awaited] the entities for which a step has waited for more than a second
 * @property {{ error?: string }} [recording]
 * @property {{ error?: string }} [data]
 */

/** @typedef {{ kind: string, summary: string }} Kind */

/** @typedef {{ name: string, documentation: string }} BuiltInAgent */

/** @typedef {{ ontology: Ontology, agents?: BuiltInAgent[] }} KindDescription */

/** @typedef {{ severity: "error" | "warning" | "note", line?: number, place: string, path: string, text: string }} Finding */

/** @typedef {{ findings: Finding[], forms: { format: string, text: string }[] }} Examination */

/** @typedef {"act" | "observe" | "manage" | "host"} Right */

/** @typedef {"agent" | "observer"} Role */

/**
 * @typedef {object} Greeting
 * @property {number} protocol
 * @property {string} server
 * @property {Right[]} rights
 * @property {string} resume
 * @property {boolean} resumed
 * @property {number} graceMs
 * @property {number} [heartbeatMs]
 * @property {number} time
 */

/** @typedef {{ code: number, message: string, data?: { kind?: string, details?: unknown } }} WireError */

/**
 * The type of a parameter.
 * @typedef {"any" | "identifier" | "number" | "truthValue"
 *   | { choice: { name: string, documentation: string }[] }
 *   | { integer: { minimum: number, maximum: number } }
 *   | { list: Type }
 *   | { function: Signature }
 *   | { named: string }} Type
 */

/**
 * @typedef {object} Field
 * @property {string} name
 * @property {string} documentation
 * @property {Type} type
 * @property {boolean} [optional]
 * @property {Parameter} [default]
 * @property {string[]} [names] values that the environment knows by name
 */

/** @typedef {{ name: string, documentation: string, parameters: Field[] }} Signature */

/** @typedef {"once" | "onChange" | "onChangeWithNegation" | "always" | "event"} Delivery */

/** @typedef {Signature & { delivery: Delivery }} PerceptSignature */

/**
 * @typedef {object} EntityType
 * @property {string} name
 * @property {string} documentation
 * @property {Signature[]} actions
 * @property {PerceptSignature[]} percepts
 */

/** @typedef {{ [name: string]: { documentation: string, type: Type } }} NamedTypes */

/**
 * @typedef {object} Ontology
 * @property {string} name
 * @property {string} version
 * @property {string} documentation
 * @property {Pace} pace
 * @property {{ oneAgentPerEntity: boolean, oneEntityPerAgent: boolean }} relation
 * @property {Field[]} parameters
 * @property {EntityType[]} entityTypes
 * @property {NamedTypes} types
 */

/** @typedef {{ status: Status, ontology: Ontology, parameters: Parameters | null }} Description */

/** @typedef {{ of: string, name: string, value: Parameter }} Measure */

/** @typedef {{ ending: "terminated" | "truncated" | null, results: Measure[] }} Outcome */

/**
 * A happening of an environment: exactly one of these is present. @typedef {object} Happening @property
 * {State} [state] @property {{ number: number, seed?: number }} [episode] @property {{ entity: string, entityType:
 * string }} [new] @property {{ entity: string, agent: string }} [taken] @property {{ entity: string, agent: string }}
 * [released] @property {{ entity: string, agents: string[] }} [freed] @property {{ entity: string, agents: string[] }}
 * [deleted] @property {{ agent: string }} [registered] @property {{ agent: string }} [unregistered] @property {{ name:
 * string, text: string }} [announcement] a message of the environment to observers @property {Outcome} [outcome]
 */

/** @typedef {{ status: Status, happenings: Happening[], resync: boolean, lost: number }} Happenings */

/** @typedef {[red: number, green: number, blue: number]} Color */

/**
 * The position and form of a shape: exactly one of these is present.
 * @typedef {object} Outline
 * @property {{ x: number, y: number, width: number, height: number }} [rectangle] from its lower left corner
 * @property {{ x: number, y: number, radius: number }} [circle] around its centre
 * @property {[x: number, y: number][]} [line]
 */

/**
 * The part that a shape plays in a scene.
 * @typedef {"place" | "unseenPlace" | "door" | "closedDoor" | "thing" | "entity" | "oneself" | "route" | "goal" | "reachedGoal"} ShapeRole
 */

/** @typedef {{ outline: Outline, color: Color, label?: string, standsFor?: Parameter, role?: ShapeRole }} Shape */

/**
 * @typedef {object} SceneUpdate
 * @property {Moment} moment
 * @property {number} width
 * @property {number} height
 * @property {number} count
 * @property {[place: number, shape: Shape][]} shapes
 */

/** The numbers of changes and events. @typedef {[number, number]} Version */

/**
 * @typedef {object} EntityPerception
 * @property {string} entity
 * @property {Version} since
 * @property {Version} version
 * @property {boolean} [resync]
 * @property {Term[]} [add]
 * @property {Term[]} [delete]
 * @property {Term[]} [events]
 * @property {number} [lost]
 */

/** @typedef {{ entity: string, percepts?: Term[], error?: WireError }} EntityResult */

/** @typedef {{ moment: Moment, agent: string, action: Term, result: EntityResult }} ActionSeen */

/** @typedef {{ moment: Moment, perception?: EntityPerception, actions: ActionSeen[], lost: number }} Activity */

/** @typedef {{ moment: Moment, perceptions: EntityPerception[] }} Perceived */

/** @typedef {{ sections: string[], label: string, direct?: boolean, action: Term }} MenuItem */

/** @typedef {{ subject: string, items: MenuItem[] }} Menu */

/** @typedef {string | { name: string }} AclAgent */

/**
 * The value of a parameter of a message: a text, or exactly one of these.
 * @typedef {string | { string?: string, bytes?: string, number?: string, time?: string, list?: AclValueList }} AclValue
 */

/** @typedef {AclValue[]} AclValueList */

/**
 * @typedef {object} AclMessage
 * @property {string} performative
 * @property {AclAgent} [sender]
 * @property {AclAgent[]} [receivers]
 * @property {AclAgent[]} [replyTo]
 * @property {string | { bytes: string }} [content]
 * @property {AclValue} [language]
 * @property {AclValue} [encoding]
 * @property {AclValue} [ontology]
 * @property {string} [protocol]
 * @property {AclValue} [conversationId]
 * @property {AclValue} [replyWith]
 * @property {AclValue} [inReplyTo]
 * @property {string} [replyBy]
 */

/** @typedef {{ number: number, message: AclMessage, time: number }} MessageReceived */

/** @typedef {{ agent: string, messages: MessageReceived[] }} MailReceived */

/** @typedef {{ number: number, message: AclMessage, violations?: string[], time: number }} MessageSeen */

/** @typedef {{ messages: MessageSeen[], lost: number }} ConversationsSeen */

/**
 * @typedef {object} RemarkSeen
 * @property {number} number
 * @property {string} environment
 * @property {Moment} moment
 * @property {string} agent
 * @property {string[]} [entities]
 * @property {unknown} remark in the agent's own form
 * @property {number} time
 */

/** @typedef {{ remarks: RemarkSeen[], lost: number }} RemarksSeen */

/**
 * The topic of a subscription: exactly one of these is present.
 * @typedef {object} Topic
 * @property {{}} [environments]
 * @property {{ environment: string }} [happenings]
 * @property {{ environment: string, viewer?: string | null }} [scene]
 * @property {{ environment: string, agent: string }} [percepts]
 * @property {{ environment: string, entity?: string }} [activity]
 * @property {{ agent: string }} [mail]
 * @property {{ agent?: string, protocol?: string, conversation?: string }} [conversations]
 * @property {{ environment?: string, entity?: string }} [remarks]
 */

export {};
