import type { MibModule } from './read-mib.js';

/** The objects and notifications of modules that everybody has (RFC 3418, 2863, 4293, 4022, 4113, 2790): names with their parents. */
const MODULES: Readonly<Record<string, string>> = {
  'SNMPv2-SMI': `
    org=iso.3 dod=org.6 internet=dod.1 directory=internet.1 mgmt=internet.2 mib-2=mgmt.1 transmission=mib-2.10
    experimental=internet.3 private=internet.4 enterprises=private.1 security=internet.5 snmpV2=internet.6 snmpDomains=snmpV2.1
    snmpProxys=snmpV2.2 snmpModules=snmpV2.3 zeroDotZero=0.0
  `,
  'SNMPv2-MIB': `
    snmpMIB=snmpModules.1 snmpMIBObjects=snmpMIB.1 system=mib-2.1 sysDescr=system.1 sysObjectID=system.2 sysUpTime=system.3
    sysContact=system.4 sysName=system.5 sysLocation=system.6 sysServices=system.7 sysORLastChange=system.8 sysORTable=system.9
    sysOREntry=sysORTable.1 sysORIndex=sysOREntry.1 sysORID=sysOREntry.2 sysORDescr=sysOREntry.3 sysORUpTime=sysOREntry.4
    snmp=mib-2.11 snmpInPkts=snmp.1 snmpInBadVersions=snmp.3 snmpInBadCommunityNames=snmp.4 snmpInBadCommunityUses=snmp.5
    snmpInASNParseErrs=snmp.6 snmpEnableAuthenTraps=snmp.30 snmpSilentDrops=snmp.31 snmpProxyDrops=snmp.32 snmpTrap=snmpMIBObjects.4
    snmpTrapOID=snmpTrap.1 snmpTrapEnterprise=snmpTrap.3 snmpTraps=snmpMIBObjects.5 coldStart=snmpTraps.1 warmStart=snmpTraps.2
    authenticationFailure=snmpTraps.5 snmpSet=snmpMIBObjects.6 snmpSetSerialNo=snmpSet.1 snmpOutPkts=snmp.2 snmpInTooBigs=snmp.8
    snmpInNoSuchNames=snmp.9 snmpInBadValues=snmp.10 snmpInReadOnlys=snmp.11 snmpInGenErrs=snmp.12 snmpInTotalReqVars=snmp.13
    snmpInTotalSetVars=snmp.14 snmpInGetRequests=snmp.15 snmpInGetNexts=snmp.16 snmpInSetRequests=snmp.17 snmpInGetResponses=snmp.18
    snmpInTraps=snmp.19 snmpOutTooBigs=snmp.20 snmpOutNoSuchNames=snmp.21 snmpOutBadValues=snmp.22 snmpOutGenErrs=snmp.24
    snmpOutGetRequests=snmp.25 snmpOutGetNexts=snmp.26 snmpOutSetRequests=snmp.27 snmpOutGetResponses=snmp.28 snmpOutTraps=snmp.29
  `,
  'IF-MIB': `
    ifMIB=mib-2.31 ifMIBObjects=ifMIB.1 interfaces=mib-2.2 ifNumber=interfaces.1 ifTableLastChange=ifMIBObjects.5
    ifTable=interfaces.2 ifEntry=ifTable.1 ifIndex=ifEntry.1 ifDescr=ifEntry.2 ifType=ifEntry.3 ifMtu=ifEntry.4 ifSpeed=ifEntry.5
    ifPhysAddress=ifEntry.6 ifAdminStatus=ifEntry.7 ifOperStatus=ifEntry.8 ifLastChange=ifEntry.9 ifInOctets=ifEntry.10
    ifInUcastPkts=ifEntry.11 ifInNUcastPkts=ifEntry.12 ifInDiscards=ifEntry.13 ifInErrors=ifEntry.14 ifInUnknownProtos=ifEntry.15
    ifOutOctets=ifEntry.16 ifOutUcastPkts=ifEntry.17 ifOutNUcastPkts=ifEntry.18 ifOutDiscards=ifEntry.19 ifOutErrors=ifEntry.20
    ifOutQLen=ifEntry.21 ifSpecific=ifEntry.22 ifXTable=ifMIBObjects.1 ifXEntry=ifXTable.1 ifName=ifXEntry.1
    ifInMulticastPkts=ifXEntry.2 ifInBroadcastPkts=ifXEntry.3 ifOutMulticastPkts=ifXEntry.4 ifOutBroadcastPkts=ifXEntry.5
    ifHCInOctets=ifXEntry.6 ifHCInUcastPkts=ifXEntry.7 ifHCInMulticastPkts=ifXEntry.8 ifHCInBroadcastPkts=ifXEntry.9
    ifHCOutOctets=ifXEntry.10 ifHCOutUcastPkts=ifXEntry.11 ifHCOutMulticastPkts=ifXEntry.12 ifHCOutBroadcastPkts=ifXEntry.13
    ifLinkUpDownTrapEnable=ifXEntry.14 ifHighSpeed=ifXEntry.15 ifPromiscuousMode=ifXEntry.16 ifConnectorPresent=ifXEntry.17
    ifAlias=ifXEntry.18 ifCounterDiscontinuityTime=ifXEntry.19 ifStackTable=ifMIBObjects.2 ifStackEntry=ifStackTable.1
    ifStackHigherLayer=ifStackEntry.1 ifStackLowerLayer=ifStackEntry.2 ifStackStatus=ifStackEntry.3 ifStackLastChange=ifMIBObjects.6
    ifRcvAddressTable=ifMIBObjects.4 ifRcvAddressEntry=ifRcvAddressTable.1 ifRcvAddressAddress=ifRcvAddressEntry.1
    ifRcvAddressStatus=ifRcvAddressEntry.2 ifRcvAddressType=ifRcvAddressEntry.3 linkDown=snmpTraps.3 linkUp=snmpTraps.4
    ifTestTable=ifMIBObjects.3 ifTestEntry=ifTestTable.1 ifTestId=ifTestEntry.1 ifTestStatus=ifTestEntry.2 ifTestType=ifTestEntry.3
    ifTestResult=ifTestEntry.4 ifTestCode=ifTestEntry.5 ifTestOwner=ifTestEntry.6
  `,
  'IP-MIB': `
    ipMIB=mib-2.48 ip=mib-2.4 ipForwarding=ip.1 ipDefaultTTL=ip.2 ipReasmTimeout=ip.13 ipv6IpForwarding=ip.25
    ipv6IpDefaultHopLimit=ip.26 ipv4InterfaceTableLastChange=ip.27 ipv4InterfaceTable=ip.28 ipv4InterfaceEntry=ipv4InterfaceTable.1
    ipv4InterfaceIfIndex=ipv4InterfaceEntry.1 ipv4InterfaceReasmMaxSize=ipv4InterfaceEntry.2
    ipv4InterfaceEnableStatus=ipv4InterfaceEntry.3 ipv4InterfaceRetransmitTime=ipv4InterfaceEntry.4
    ipv6InterfaceTableLastChange=ip.29 ipv6InterfaceTable=ip.30 ipv6InterfaceEntry=ipv6InterfaceTable.1
    ipv6InterfaceIfIndex=ipv6InterfaceEntry.1 ipv6InterfaceReasmMaxSize=ipv6InterfaceEntry.2
    ipv6InterfaceIdentifier=ipv6InterfaceEntry.3 ipv6InterfaceEnableStatus=ipv6InterfaceEntry.5
    ipv6InterfaceReachableTime=ipv6InterfaceEntry.6 ipv6InterfaceRetransmitTime=ipv6InterfaceEntry.7
    ipv6InterfaceForwarding=ipv6InterfaceEntry.8 ipTrafficStats=ip.31 ipSystemStatsTable=ipTrafficStats.1
    ipSystemStatsEntry=ipSystemStatsTable.1 ipSystemStatsIPVersion=ipSystemStatsEntry.1 ipSystemStatsInReceives=ipSystemStatsEntry.3
    ipSystemStatsHCInReceives=ipSystemStatsEntry.4 ipSystemStatsInOctets=ipSystemStatsEntry.5
    ipSystemStatsHCInOctets=ipSystemStatsEntry.6 ipSystemStatsInHdrErrors=ipSystemStatsEntry.7
    ipSystemStatsInNoRoutes=ipSystemStatsEntry.8 ipSystemStatsInAddrErrors=ipSystemStatsEntry.9
    ipSystemStatsInUnknownProtos=ipSystemStatsEntry.10 ipSystemStatsInTruncatedPkts=ipSystemStatsEntry.11
    ipSystemStatsInForwDatagrams=ipSystemStatsEntry.12 ipSystemStatsHCInForwDatagrams=ipSystemStatsEntry.13
    ipSystemStatsReasmReqds=ipSystemStatsEntry.14 ipSystemStatsReasmOKs=ipSystemStatsEntry.15
    ipSystemStatsReasmFails=ipSystemStatsEntry.16 ipSystemStatsInDiscards=ipSystemStatsEntry.17
    ipSystemStatsInDelivers=ipSystemStatsEntry.18 ipSystemStatsHCInDelivers=ipSystemStatsEntry.19
    ipSystemStatsOutRequests=ipSystemStatsEntry.20 ipSystemStatsHCOutRequests=ipSystemStatsEntry.21
    ipSystemStatsOutNoRoutes=ipSystemStatsEntry.22 ipSystemStatsOutForwDatagrams=ipSystemStatsEntry.23
    ipSystemStatsHCOutForwDatagrams=ipSystemStatsEntry.24 ipSystemStatsOutDiscards=ipSystemStatsEntry.25
    ipSystemStatsOutFragReqds=ipSystemStatsEntry.26 ipSystemStatsOutFragOKs=ipSystemStatsEntry.27
    ipSystemStatsOutFragFails=ipSystemStatsEntry.28 ipSystemStatsOutFragCreates=ipSystemStatsEntry.29
    ipSystemStatsOutTransmits=ipSystemStatsEntry.30 ipSystemStatsHCOutTransmits=ipSystemStatsEntry.31
    ipSystemStatsOutOctets=ipSystemStatsEntry.32 ipSystemStatsHCOutOctets=ipSystemStatsEntry.33
    ipSystemStatsInMcastPkts=ipSystemStatsEntry.34 ipSystemStatsHCInMcastPkts=ipSystemStatsEntry.35
    ipSystemStatsInMcastOctets=ipSystemStatsEntry.36 ipSystemStatsHCInMcastOctets=ipSystemStatsEntry.37
    ipSystemStatsOutMcastPkts=ipSystemStatsEntry.38 ipSystemStatsHCOutMcastPkts=ipSystemStatsEntry.39
    ipSystemStatsOutMcastOctets=ipSystemStatsEntry.40 ipSystemStatsHCOutMcastOctets=ipSystemStatsEntry.41
    ipSystemStatsInBcastPkts=ipSystemStatsEntry.42 ipSystemStatsHCInBcastPkts=ipSystemStatsEntry.43
    ipSystemStatsOutBcastPkts=ipSystemStatsEntry.44 ipSystemStatsHCOutBcastPkts=ipSystemStatsEntry.45
    ipSystemStatsDiscontinuityTime=ipSystemStatsEntry.46 ipSystemStatsRefreshRate=ipSystemStatsEntry.47
    ipIfStatsTableLastChange=ipTrafficStats.2 ipIfStatsTable=ipTrafficStats.3 ipIfStatsEntry=ipIfStatsTable.1
    ipIfStatsIPVersion=ipIfStatsEntry.1 ipIfStatsIfIndex=ipIfStatsEntry.2 ipIfStatsInReceives=ipIfStatsEntry.3
    ipIfStatsHCInReceives=ipIfStatsEntry.4 ipIfStatsInOctets=ipIfStatsEntry.5 ipIfStatsHCInOctets=ipIfStatsEntry.6
    ipIfStatsInHdrErrors=ipIfStatsEntry.7 ipIfStatsInNoRoutes=ipIfStatsEntry.8 ipIfStatsInAddrErrors=ipIfStatsEntry.9
    ipIfStatsInUnknownProtos=ipIfStatsEntry.10 ipIfStatsInTruncatedPkts=ipIfStatsEntry.11 ipIfStatsInForwDatagrams=ipIfStatsEntry.12
    ipIfStatsHCInForwDatagrams=ipIfStatsEntry.13 ipIfStatsReasmReqds=ipIfStatsEntry.14 ipIfStatsReasmOKs=ipIfStatsEntry.15
    ipIfStatsReasmFails=ipIfStatsEntry.16 ipIfStatsInDiscards=ipIfStatsEntry.17 ipIfStatsInDelivers=ipIfStatsEntry.18
    ipIfStatsHCInDelivers=ipIfStatsEntry.19 ipIfStatsOutRequests=ipIfStatsEntry.20 ipIfStatsHCOutRequests=ipIfStatsEntry.21
    ipIfStatsOutForwDatagrams=ipIfStatsEntry.23 ipIfStatsHCOutForwDatagrams=ipIfStatsEntry.24 ipIfStatsOutDiscards=ipIfStatsEntry.25
    ipIfStatsOutFragReqds=ipIfStatsEntry.26 ipIfStatsOutFragOKs=ipIfStatsEntry.27 ipIfStatsOutFragFails=ipIfStatsEntry.28
    ipIfStatsOutFragCreates=ipIfStatsEntry.29 ipIfStatsOutTransmits=ipIfStatsEntry.30 ipIfStatsHCOutTransmits=ipIfStatsEntry.31
    ipIfStatsOutOctets=ipIfStatsEntry.32 ipIfStatsHCOutOctets=ipIfStatsEntry.33 ipIfStatsInMcastPkts=ipIfStatsEntry.34
    ipIfStatsHCInMcastPkts=ipIfStatsEntry.35 ipIfStatsInMcastOctets=ipIfStatsEntry.36 ipIfStatsHCInMcastOctets=ipIfStatsEntry.37
    ipIfStatsOutMcastPkts=ipIfStatsEntry.38 ipIfStatsHCOutMcastPkts=ipIfStatsEntry.39 ipIfStatsOutMcastOctets=ipIfStatsEntry.40
    ipIfStatsHCOutMcastOctets=ipIfStatsEntry.41 ipIfStatsInBcastPkts=ipIfStatsEntry.42 ipIfStatsHCInBcastPkts=ipIfStatsEntry.43
    ipIfStatsOutBcastPkts=ipIfStatsEntry.44 ipIfStatsHCOutBcastPkts=ipIfStatsEntry.45 ipIfStatsDiscontinuityTime=ipIfStatsEntry.46
    ipIfStatsRefreshRate=ipIfStatsEntry.47 ipAddressPrefixTable=ip.32 ipAddressPrefixEntry=ipAddressPrefixTable.1
    ipAddressPrefixIfIndex=ipAddressPrefixEntry.1 ipAddressPrefixType=ipAddressPrefixEntry.2
    ipAddressPrefixPrefix=ipAddressPrefixEntry.3 ipAddressPrefixLength=ipAddressPrefixEntry.4
    ipAddressPrefixOrigin=ipAddressPrefixEntry.5 ipAddressPrefixOnLinkFlag=ipAddressPrefixEntry.6
    ipAddressPrefixAutonomousFlag=ipAddressPrefixEntry.7 ipAddressPrefixAdvPreferredLifetime=ipAddressPrefixEntry.8
    ipAddressPrefixAdvValidLifetime=ipAddressPrefixEntry.9 ipAddressSpinLock=ip.33 ipAddressTable=ip.34
    ipAddressEntry=ipAddressTable.1 ipAddressAddrType=ipAddressEntry.1 ipAddressAddr=ipAddressEntry.2
    ipAddressIfIndex=ipAddressEntry.3 ipAddressType=ipAddressEntry.4 ipAddressPrefix=ipAddressEntry.5
    ipAddressOrigin=ipAddressEntry.6 ipAddressStatus=ipAddressEntry.7 ipAddressCreated=ipAddressEntry.8
    ipAddressLastChanged=ipAddressEntry.9 ipAddressRowStatus=ipAddressEntry.10 ipAddressStorageType=ipAddressEntry.11
    ipNetToPhysicalTable=ip.35 ipNetToPhysicalEntry=ipNetToPhysicalTable.1 ipNetToPhysicalIfIndex=ipNetToPhysicalEntry.1
    ipNetToPhysicalNetAddressType=ipNetToPhysicalEntry.2 ipNetToPhysicalNetAddress=ipNetToPhysicalEntry.3
    ipNetToPhysicalPhysAddress=ipNetToPhysicalEntry.4 ipNetToPhysicalLastUpdated=ipNetToPhysicalEntry.5
    ipNetToPhysicalType=ipNetToPhysicalEntry.6 ipNetToPhysicalState=ipNetToPhysicalEntry.7
    ipNetToPhysicalRowStatus=ipNetToPhysicalEntry.8 ipv6ScopeZoneIndexTable=ip.36 ipv6ScopeZoneIndexEntry=ipv6ScopeZoneIndexTable.1
    ipv6ScopeZoneIndexIfIndex=ipv6ScopeZoneIndexEntry.1 ipv6ScopeZoneIndexLinkLocal=ipv6ScopeZoneIndexEntry.2
    ipv6ScopeZoneIndex3=ipv6ScopeZoneIndexEntry.3 ipv6ScopeZoneIndexAdminLocal=ipv6ScopeZoneIndexEntry.4
    ipv6ScopeZoneIndexSiteLocal=ipv6ScopeZoneIndexEntry.5 ipv6ScopeZoneIndex6=ipv6ScopeZoneIndexEntry.6
    ipv6ScopeZoneIndex7=ipv6ScopeZoneIndexEntry.7 ipv6ScopeZoneIndexOrganizationLocal=ipv6ScopeZoneIndexEntry.8
    ipv6ScopeZoneIndex9=ipv6ScopeZoneIndexEntry.9 ipv6ScopeZoneIndexA=ipv6ScopeZoneIndexEntry.10
    ipv6ScopeZoneIndexB=ipv6ScopeZoneIndexEntry.11 ipv6ScopeZoneIndexC=ipv6ScopeZoneIndexEntry.12
    ipv6ScopeZoneIndexD=ipv6ScopeZoneIndexEntry.13 ipDefaultRouterTable=ip.37 ipDefaultRouterEntry=ipDefaultRouterTable.1
    ipDefaultRouterAddressType=ipDefaultRouterEntry.1 ipDefaultRouterAddress=ipDefaultRouterEntry.2
    ipDefaultRouterIfIndex=ipDefaultRouterEntry.3 ipDefaultRouterLifetime=ipDefaultRouterEntry.4
    ipDefaultRouterPreference=ipDefaultRouterEntry.5 ipv6RouterAdvertSpinLock=ip.38 ipv6RouterAdvertTable=ip.39
    ipv6RouterAdvertEntry=ipv6RouterAdvertTable.1 ipv6RouterAdvertIfIndex=ipv6RouterAdvertEntry.1
    ipv6RouterAdvertSendAdverts=ipv6RouterAdvertEntry.2 ipv6RouterAdvertMaxInterval=ipv6RouterAdvertEntry.3
    ipv6RouterAdvertMinInterval=ipv6RouterAdvertEntry.4 ipv6RouterAdvertManagedFlag=ipv6RouterAdvertEntry.5
    ipv6RouterAdvertOtherConfigFlag=ipv6RouterAdvertEntry.6 ipv6RouterAdvertLinkMTU=ipv6RouterAdvertEntry.7
    ipv6RouterAdvertReachableTime=ipv6RouterAdvertEntry.8 ipv6RouterAdvertRetransmitTime=ipv6RouterAdvertEntry.9
    ipv6RouterAdvertCurHopLimit=ipv6RouterAdvertEntry.10 ipv6RouterAdvertDefaultLifetime=ipv6RouterAdvertEntry.11
    ipv6RouterAdvertRowStatus=ipv6RouterAdvertEntry.12 icmp=mib-2.5 icmpStatsTable=icmp.29 icmpStatsEntry=icmpStatsTable.1
    icmpStatsIPVersion=icmpStatsEntry.1 icmpStatsInMsgs=icmpStatsEntry.2 icmpStatsInErrors=icmpStatsEntry.3
    icmpStatsOutMsgs=icmpStatsEntry.4 icmpStatsOutErrors=icmpStatsEntry.5 icmpMsgStatsTable=icmp.30
    icmpMsgStatsEntry=icmpMsgStatsTable.1 icmpMsgStatsIPVersion=icmpMsgStatsEntry.1 icmpMsgStatsType=icmpMsgStatsEntry.2
    icmpMsgStatsInPkts=icmpMsgStatsEntry.3 icmpMsgStatsOutPkts=icmpMsgStatsEntry.4 ipInReceives=ip.3 ipInHdrErrors=ip.4
    ipInAddrErrors=ip.5 ipForwDatagrams=ip.6 ipInUnknownProtos=ip.7 ipInDiscards=ip.8 ipInDelivers=ip.9 ipOutRequests=ip.10
    ipOutDiscards=ip.11 ipOutNoRoutes=ip.12 ipReasmReqds=ip.14 ipReasmOKs=ip.15 ipReasmFails=ip.16 ipFragOKs=ip.17 ipFragFails=ip.18
    ipFragCreates=ip.19 ipRoutingDiscards=ip.23 ipAddrTable=ip.20 ipAddrEntry=ipAddrTable.1 ipAdEntAddr=ipAddrEntry.1
    ipAdEntIfIndex=ipAddrEntry.2 ipAdEntNetMask=ipAddrEntry.3 ipAdEntBcastAddr=ipAddrEntry.4 ipAdEntReasmMaxSize=ipAddrEntry.5
    ipNetToMediaTable=ip.22 ipNetToMediaEntry=ipNetToMediaTable.1 ipNetToMediaIfIndex=ipNetToMediaEntry.1
    ipNetToMediaPhysAddress=ipNetToMediaEntry.2 ipNetToMediaNetAddress=ipNetToMediaEntry.3 ipNetToMediaType=ipNetToMediaEntry.4
    icmpInMsgs=icmp.1 icmpInErrors=icmp.2 icmpInDestUnreachs=icmp.3 icmpInTimeExcds=icmp.4 icmpInParmProbs=icmp.5
    icmpInSrcQuenchs=icmp.6 icmpInRedirects=icmp.7 icmpInEchos=icmp.8 icmpInEchoReps=icmp.9 icmpInTimestamps=icmp.10
    icmpInTimestampReps=icmp.11 icmpInAddrMasks=icmp.12 icmpInAddrMaskReps=icmp.13 icmpOutMsgs=icmp.14 icmpOutErrors=icmp.15
    icmpOutDestUnreachs=icmp.16 icmpOutTimeExcds=icmp.17 icmpOutParmProbs=icmp.18 icmpOutSrcQuenchs=icmp.19 icmpOutRedirects=icmp.20
    icmpOutEchos=icmp.21 icmpOutEchoReps=icmp.22 icmpOutTimestamps=icmp.23 icmpOutTimestampReps=icmp.24 icmpOutAddrMasks=icmp.25
    icmpOutAddrMaskReps=icmp.26
  `,
  'TCP-MIB': `
    tcpMIB=mib-2.49 tcp=mib-2.6 tcpRtoAlgorithm=tcp.1 tcpRtoMin=tcp.2 tcpRtoMax=tcp.3 tcpMaxConn=tcp.4 tcpActiveOpens=tcp.5
    tcpPassiveOpens=tcp.6 tcpAttemptFails=tcp.7 tcpEstabResets=tcp.8 tcpCurrEstab=tcp.9 tcpInSegs=tcp.10 tcpOutSegs=tcp.11
    tcpRetransSegs=tcp.12 tcpInErrs=tcp.14 tcpOutRsts=tcp.15 tcpHCInSegs=tcp.17 tcpHCOutSegs=tcp.18 tcpConnectionTable=tcp.19
    tcpConnectionEntry=tcpConnectionTable.1 tcpConnectionLocalAddressType=tcpConnectionEntry.1
    tcpConnectionLocalAddress=tcpConnectionEntry.2 tcpConnectionLocalPort=tcpConnectionEntry.3
    tcpConnectionRemAddressType=tcpConnectionEntry.4 tcpConnectionRemAddress=tcpConnectionEntry.5
    tcpConnectionRemPort=tcpConnectionEntry.6 tcpConnectionState=tcpConnectionEntry.7 tcpConnectionProcess=tcpConnectionEntry.8
    tcpListenerTable=tcp.20 tcpListenerEntry=tcpListenerTable.1 tcpListenerLocalAddressType=tcpListenerEntry.1
    tcpListenerLocalAddress=tcpListenerEntry.2 tcpListenerLocalPort=tcpListenerEntry.3 tcpListenerProcess=tcpListenerEntry.4
    tcpConnTable=tcp.13 tcpConnEntry=tcpConnTable.1 tcpConnState=tcpConnEntry.1 tcpConnLocalAddress=tcpConnEntry.2
    tcpConnLocalPort=tcpConnEntry.3 tcpConnRemAddress=tcpConnEntry.4 tcpConnRemPort=tcpConnEntry.5
  `,
  'UDP-MIB': `
    udpMIB=mib-2.50 udp=mib-2.7 udpInDatagrams=udp.1 udpNoPorts=udp.2 udpInErrors=udp.3 udpOutDatagrams=udp.4 udpHCInDatagrams=udp.8
    udpHCOutDatagrams=udp.9 udpEndpointTable=udp.7 udpEndpointEntry=udpEndpointTable.1
    udpEndpointLocalAddressType=udpEndpointEntry.1 udpEndpointLocalAddress=udpEndpointEntry.2
    udpEndpointLocalPort=udpEndpointEntry.3 udpEndpointRemoteAddressType=udpEndpointEntry.4
    udpEndpointRemoteAddress=udpEndpointEntry.5 udpEndpointRemotePort=udpEndpointEntry.6 udpEndpointInstance=udpEndpointEntry.7
    udpEndpointProcess=udpEndpointEntry.8 udpTable=udp.5 udpEntry=udpTable.1 udpLocalAddress=udpEntry.1 udpLocalPort=udpEntry.2
  `,
  'HOST-RESOURCES-MIB': `
    hostResourcesMibModule=hrMIBAdminInfo.1 host=mib-2.25 hrSystem=host.1 hrStorage=host.2 hrDevice=host.3 hrSWRun=host.4
    hrSWRunPerf=host.5 hrSWInstalled=host.6 hrMIBAdminInfo=host.7 hrSystemUptime=hrSystem.1 hrSystemDate=hrSystem.2
    hrSystemInitialLoadDevice=hrSystem.3 hrSystemInitialLoadParameters=hrSystem.4 hrSystemNumUsers=hrSystem.5
    hrSystemProcesses=hrSystem.6 hrSystemMaxProcesses=hrSystem.7 hrStorageTypes=hrStorage.1 hrMemorySize=hrStorage.2
    hrStorageTable=hrStorage.3 hrStorageEntry=hrStorageTable.1 hrStorageIndex=hrStorageEntry.1 hrStorageType=hrStorageEntry.2
    hrStorageDescr=hrStorageEntry.3 hrStorageAllocationUnits=hrStorageEntry.4 hrStorageSize=hrStorageEntry.5
    hrStorageUsed=hrStorageEntry.6 hrStorageAllocationFailures=hrStorageEntry.7 hrDeviceTypes=hrDevice.1 hrDeviceTable=hrDevice.2
    hrDeviceEntry=hrDeviceTable.1 hrDeviceIndex=hrDeviceEntry.1 hrDeviceType=hrDeviceEntry.2 hrDeviceDescr=hrDeviceEntry.3
    hrDeviceID=hrDeviceEntry.4 hrDeviceStatus=hrDeviceEntry.5 hrDeviceErrors=hrDeviceEntry.6 hrProcessorTable=hrDevice.3
    hrProcessorEntry=hrProcessorTable.1 hrProcessorFrwID=hrProcessorEntry.1 hrProcessorLoad=hrProcessorEntry.2
    hrNetworkTable=hrDevice.4 hrNetworkEntry=hrNetworkTable.1 hrNetworkIfIndex=hrNetworkEntry.1 hrPrinterTable=hrDevice.5
    hrPrinterEntry=hrPrinterTable.1 hrPrinterStatus=hrPrinterEntry.1 hrPrinterDetectedErrorState=hrPrinterEntry.2
    hrDiskStorageTable=hrDevice.6 hrDiskStorageEntry=hrDiskStorageTable.1 hrDiskStorageAccess=hrDiskStorageEntry.1
    hrDiskStorageMedia=hrDiskStorageEntry.2 hrDiskStorageRemoveble=hrDiskStorageEntry.3 hrDiskStorageCapacity=hrDiskStorageEntry.4
    hrPartitionTable=hrDevice.7 hrPartitionEntry=hrPartitionTable.1 hrPartitionIndex=hrPartitionEntry.1
    hrPartitionLabel=hrPartitionEntry.2 hrPartitionID=hrPartitionEntry.3 hrPartitionSize=hrPartitionEntry.4
    hrPartitionFSIndex=hrPartitionEntry.5 hrFSTypes=hrDevice.9 hrFSTable=hrDevice.8 hrFSEntry=hrFSTable.1 hrFSIndex=hrFSEntry.1
    hrFSMountPoint=hrFSEntry.2 hrFSRemoteMountPoint=hrFSEntry.3 hrFSType=hrFSEntry.4 hrFSAccess=hrFSEntry.5 hrFSBootable=hrFSEntry.6
    hrFSStorageIndex=hrFSEntry.7 hrFSLastFullBackupDate=hrFSEntry.8 hrFSLastPartialBackupDate=hrFSEntry.9 hrSWOSIndex=hrSWRun.1
    hrSWRunTable=hrSWRun.2 hrSWRunEntry=hrSWRunTable.1 hrSWRunIndex=hrSWRunEntry.1 hrSWRunName=hrSWRunEntry.2
    hrSWRunID=hrSWRunEntry.3 hrSWRunPath=hrSWRunEntry.4 hrSWRunParameters=hrSWRunEntry.5 hrSWRunType=hrSWRunEntry.6
    hrSWRunStatus=hrSWRunEntry.7 hrSWRunPerfTable=hrSWRunPerf.1 hrSWRunPerfEntry=hrSWRunPerfTable.1
    hrSWRunPerfCPU=hrSWRunPerfEntry.1 hrSWRunPerfMem=hrSWRunPerfEntry.2 hrSWInstalledLastChange=hrSWInstalled.1
    hrSWInstalledLastUpdateTime=hrSWInstalled.2 hrSWInstalledTable=hrSWInstalled.3 hrSWInstalledEntry=hrSWInstalledTable.1
    hrSWInstalledIndex=hrSWInstalledEntry.1 hrSWInstalledName=hrSWInstalledEntry.2 hrSWInstalledID=hrSWInstalledEntry.3
    hrSWInstalledType=hrSWInstalledEntry.4 hrSWInstalledDate=hrSWInstalledEntry.5
  `,
};

/** See {@link MODULES}. */
export const STANDARD_MODULES: readonly MibModule[] = Object.entries(MODULES).map(([name, text]) => ({
  name,
  imports: new Map(),
  assigned: new Map(
    text
      .trim()
      .split(/\s+/)
      .map((item) => {
        const [assigned = '', oid = ''] = item.split('=');
        return [assigned, oid.split('.')] as const;
      }),
  ),
}));
