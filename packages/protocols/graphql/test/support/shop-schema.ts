/** A schema with one of each kind of type. */
export const SHOP = `
"What the shop sells."
interface Product { id: ID! name: String! price: Float! }
type Book implements Product { id: ID! name: String! price: Float! pages: Int! author: Person! }
type Lamp implements Product { id: ID! name: String! price: Float! watts: Int @deprecated(reason: "ask for power") }
type Person { id: ID! name: String! email: String! joinedAt: DateTime! friends: [Person!]! role: Role! }
enum Role { ADMIN CUSTOMER }
union Found = Book | Lamp | Person
scalar DateTime
input Filter { text: String! limit: Int = 5 roles: [Role!] }
type Query {
  me: Person
  person(id: ID!): Person
  products: [Product!]!
  search(filter: Filter!): [Found!]!
}
type Mutation { rename(id: ID!, name: String!): Person! }
type Subscription { renamed: Person! }
`;
