/** The schema that the tests share: every kind of call. */
export const ACME = `
syntax = "proto3";
package acme;

enum Role { ROLE_UNKNOWN = 0; ADMIN = 1; GUEST = 2; }

message User {
  int64 id = 1;
  string name = 2;
  Role role = 3;
  map<string, string> labels = 4;
  oneof contact { string email = 5; string phone = 6; }
  bytes photo = 7;
  Address address = 8;
  google.protobuf.Timestamp created_at = 9;
  google.protobuf.Duration lifetime = 10;
  repeated int32 scores = 11;
  message Address { string city = 1; }
}

message GetUser { int64 id = 1; string name = 2; }
message Summary { int32 count = 1; repeated string names = 2; }

service Users {
  rpc Get(GetUser) returns (User);
  rpc Watch(GetUser) returns (stream User);
  rpc Add(stream User) returns (Summary);
  rpc Chat(stream User) returns (stream User);
}
`.replace(
  'package acme;',
  `package acme;
import "google/protobuf/timestamp.proto";
import "google/protobuf/duration.proto";`,
);
